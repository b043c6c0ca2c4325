"""What others may do to a run that is under way; everything here may be used from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue

from hetwin_core.ensemble.conductor.pause import Gate
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.values import Floats


@dataclass(frozen=True, slots=True)
class Placement:
    """A wish to put an attribute to another value at the next barrier.

    Attributes:
        slot: which attribute.
        data: its new numbers, as the scene has them; poses and twists in the world frame.
        tell: called once, with None when it is done, else with the reason why not.
    """

    slot: int
    data: Floats
    tell: Callable[[str | None], None]


@dataclass(frozen=True)
class Controls:
    """The hands on a run.

    Attributes:
        stop: set to end the run at its next barrier.
        gate: holds the run between two steps.
        arrivals: events from outside, handled at the next barrier.
        placements: values from outside, put in place at the next barrier.
    """

    stop: threading.Event = field(default_factory=threading.Event)
    gate: Gate = field(default_factory=Gate)
    arrivals: SimpleQueue[Event] = field(default_factory=SimpleQueue)
    placements: SimpleQueue[Placement] = field(default_factory=SimpleQueue)
