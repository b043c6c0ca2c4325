"""Networks of state machines that report their own faults, and the link of a real and a virtual robot.

For example::

    import yaml
    from hetwin_machines import read_network
    from hetwin_suite.runs import resource

    file = resource("scenarios", "networks", "counter.yaml")
    network = read_network(yaml.safe_load(file.read_text()))
    print(len(network.machines))

The network as a model of a run is `hetwin_machines.machine_network`.
"""

from __future__ import annotations

from hetwin_machines.link.link import Link
from hetwin_machines.link.logger import Logger
from hetwin_machines.link.messages import ROBOTS, TIMEOUT, Alarm, Kind, Message, Reply, Side, Turn
from hetwin_machines.reading import read_network
from hetwin_machines.seeing.watch import Watch

__all__ = [
    "ROBOTS",
    "TIMEOUT",
    "Alarm",
    "Kind",
    "Link",
    "Logger",
    "Message",
    "Reply",
    "Side",
    "Turn",
    "Watch",
    "read_network",
]
