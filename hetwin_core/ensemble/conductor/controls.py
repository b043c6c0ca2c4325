"""What other threads may ask of a run that is under way; everything here may be used from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue

from hetwin_core.ensemble.conductor.pause import Pause
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.values import Floats


@dataclass(frozen=True, slots=True)
class Placement:
    """A request to give an attribute another value at the next barrier.

    Attributes:
        slot: which attribute.
        data: its new numbers, as the scene has them; poses and twists in the world frame.
        done: called once: with None when it is placed, else with the reason why not.
    """

    slot: int
    data: Floats
    done: Callable[[str | None], None]


@dataclass(frozen=True)
class Controls:
    """What others have asked of a run.

    Attributes:
        stop: set to end the run at its next barrier.
        pause: holds the run between two steps.
        arrivals: events from outside, handled at the next barrier.
        placements: values from outside, put in place at the next barrier.
    """

    stop: threading.Event = field(default_factory=threading.Event)
    pause: Pause = field(default_factory=Pause)
    arrivals: SimpleQueue[Event] = field(default_factory=SimpleQueue)
    placements: SimpleQueue[Placement] = field(default_factory=SimpleQueue)
