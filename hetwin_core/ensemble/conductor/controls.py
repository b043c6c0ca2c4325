"""What other threads may ask of a run that is under way; everything here may be used from any thread."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TypeAlias

from hetwin_core.ensemble.conductor.pace import Pace
from hetwin_core.ensemble.conductor.pause import Pause
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.values import Floats

BY_HAND = "by hand"
"""Source of the events, and cause of the handovers, that somebody asked for while the run went on."""

Done: TypeAlias = Callable[[str | None], None]
"""Called once: with None when something asked for is done, else with the reason why not."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A request to give an attribute another value at the next barrier.

    Attributes:
        slot: which attribute.
        data: its new numbers, as the scene has them; poses and twists in the world frame.
        done: called with what became of it.
    """

    slot: int
    data: Floats
    done: Done


@dataclass(frozen=True, slots=True)
class Move:
    """A request to hand an attribute over at the next barrier.

    Attributes:
        slot: which attribute.
        model: index of the model that is to be responsible for it.
        done: called with what became of it.
    """

    slot: int
    model: int
    done: Done


@dataclass(frozen=True, slots=True)
class Act:
    """Something done to the run that does not change its course, such as a pause; only to be recorded."""

    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Controls:
    """What others have asked of a run.

    Attributes:
        stop: set to end the run at its next barrier.
        pause: holds the run between two steps.
        pace: how fast it goes at most.
        arrivals: events from outside, handled at the next barrier.
        requests: what is to be done at the next barrier, in order.
    """

    stop: threading.Event = field(default_factory=threading.Event)
    pause: Pause = field(default_factory=Pause)
    pace: Pace = field(default_factory=Pace)
    arrivals: SimpleQueue[Event] = field(default_factory=SimpleQueue)
    requests: deque[Placement | Move | Act] = field(default_factory=deque)
