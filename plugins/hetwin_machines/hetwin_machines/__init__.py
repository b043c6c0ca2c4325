"""Networks of state machines that detect their own faults, and the link between a real and a virtual robot.

For example::

    import yaml
    from hetwin_machines import read_network
    from hetwin_suite.runs import resource

    file = resource("scenarios", "networks", "counter.yaml")
    network = read_network(yaml.safe_load(file.read_text()))
    print(len(network.machines))

`hetwin_machines.machine_network` is the model that runs a network in a scenario.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_machines.link.link import Link as Link
    from hetwin_machines.link.logger import Logger as Logger
    from hetwin_machines.link.messages import ROBOTS as ROBOTS
    from hetwin_machines.link.messages import TIMEOUT as TIMEOUT
    from hetwin_machines.link.messages import Alarm as Alarm
    from hetwin_machines.link.messages import CycleResult as CycleResult
    from hetwin_machines.link.messages import Kind as Kind
    from hetwin_machines.link.messages import Message as Message
    from hetwin_machines.link.messages import Reply as Reply
    from hetwin_machines.link.messages import Side as Side
    from hetwin_machines.observation.watch import Watch as Watch
    from hetwin_machines.reading import read_network as read_network

_HOMES = {
    "Link": "link.link",
    "Logger": "link.logger",
    "ROBOTS": "link.messages",
    "TIMEOUT": "link.messages",
    "Alarm": "link.messages",
    "Kind": "link.messages",
    "Message": "link.messages",
    "Reply": "link.messages",
    "Side": "link.messages",
    "CycleResult": "link.messages",
    "read_network": "reading",
    "Watch": "observation.watch",
}

__all__ = [
    "ROBOTS",
    "TIMEOUT",
    "Alarm",
    "CycleResult",
    "Kind",
    "Link",
    "Logger",
    "Message",
    "Reply",
    "Side",
    "Watch",
    "read_network",
]


def __getattr__(name: str) -> object:
    """Import what is exported when it is first used (PEP 562), so that a run without machines imports none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
