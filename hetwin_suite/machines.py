"""Networks of state machines that report their own faults, and the link of a real and a virtual robot.

For example::

    import yaml
    from hetwin_suite.machines import read_network
    from hetwin_suite.runs import resource

    file = resource("scenarios", "networks", "counter.yaml")
    network = read_network(yaml.safe_load(file.read_text()))
    print(len(network.machines))
"""

from __future__ import annotations

from hetwin_core.ensemble.link_words import (
    ALARM,
    LINKED,
    LOGGED,
    MODEL_UPDATED,
    ROBOT_BACK,
    ROBOT_LOST,
)
from hetwin_core.ensemble.machine_words import ALIGN_BASE, PLANNED, POINTED, ROUTINE
from hetwin_core.machines.link.link import Link
from hetwin_core.machines.link.logger import Logger
from hetwin_core.machines.link.messages import ROBOTS, TIMEOUT, Kind, Message, Reply, Side, Turn
from hetwin_core.machines.reading import read_network
from hetwin_core.machines.seeing.watch import Watch
from model_nodes.machine_network import MachineNetwork

__all__ = [
    "ALARM",
    "ALIGN_BASE",
    "LINKED",
    "LOGGED",
    "MODEL_UPDATED",
    "PLANNED",
    "POINTED",
    "ROBOTS",
    "ROBOT_BACK",
    "ROBOT_LOST",
    "ROUTINE",
    "TIMEOUT",
    "Kind",
    "Link",
    "Logger",
    "MachineNetwork",
    "Message",
    "Reply",
    "Side",
    "Turn",
    "Watch",
    "read_network",
]
