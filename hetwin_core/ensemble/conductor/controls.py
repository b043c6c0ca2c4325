"""Requests of other threads to a run in progress; everything here may be used from any thread."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TypeAlias

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.values import Floats


class Pause:
    """Whether a run is paused; may be used from any thread.

    Attributes:
        remaining_steps: remaining steps until the run is held; None: it is not paused.
        waiting: whether the run waits at this moment.
        steps_allowed: number of single steps that the run has taken while it was paused.
        held_s: wall time that the run has waited, in seconds.
        until_event: whether the run is held again after the next step in which an event happens.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.remaining_steps: int | None = None
        self.until_event = False
        self._is_stepping = False
        self.waiting = False
        self.steps_allowed = 0
        self.held_s = 0.0

    @property
    def is_off(self) -> bool:
        """Whether the run is not paused."""
        return self.remaining_steps is None

    @property
    def must_wait(self) -> bool:
        """Whether the next step has to wait."""
        return self.remaining_steps == 0

    @property
    def counts_as_paused(self) -> bool:
        """Whether the run waits, or will wait again after a limited number of steps."""
        return self.waiting or self._is_stepping

    def hold(self) -> None:
        """Hold the run before its next step."""
        with self._lock:
            self.remaining_steps = 0
            self.until_event = self._is_stepping = False

    def resume(self) -> None:
        """Let the run continue."""
        with self._lock:
            self.remaining_steps = None
            self.until_event = self._is_stepping = False

    def allow(self, steps: int | None, *, further: bool = False) -> None:
        """Let the run take some steps, then hold it again.

        Args:
            steps: number of steps; None: up to the next one in which an event happens.
            further: whether the steps may be added to those of an earlier request that are still being taken.

        Raises:
            Refused: if the run is not held.
        """
        with self._lock:
            if self.remaining_steps is None or (self.remaining_steps and not further):
                raise Refused("only a paused run can be stepped")
            remaining_steps = 0 if self.until_event else self.remaining_steps
            self.until_event = steps is None
            self._is_stepping = steps is not None
            self.remaining_steps = sys.maxsize if steps is None else remaining_steps + steps

    def count_step(self) -> None:
        """Count a step that the run takes, if it was allowed singly."""
        with self._lock:
            if self.remaining_steps:
                self.remaining_steps -= 1
                self.steps_allowed += 1

    @contextmanager
    def marked_as_waiting(self) -> Iterator[None]:
        """Mark the run as waiting for the duration of this context."""
        start = time.monotonic()
        self.waiting = True
        try:
            yield
        finally:
            self.waiting = False
            self.held_s += time.monotonic() - start


CATCH_UP_S = 0.15
"""Maximum delay that a run makes up after falling behind its pace; a longer delay is dropped [s of wall time]."""


class Pace:
    """Upper limit of a run's speed; may be set from any thread.

    Args:
        now: the wall clock [s].

    Attributes:
        factor: multiple of real time; None: no limit.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self.factor: float | None = None
        self._start: tuple[float, int] | None = None

    def set(self, factor: float | None) -> None:
        """Limit the run to a multiple of real time from now on; None: no limit.

        Raises:
            Refused: if the factor is not a positive finite number.
        """
        if factor is not None and not (math.isfinite(factor) and factor > 0.0):
            raise Refused(f"{factor:g} is not a valid pace; expected a positive number, or none")
        self.factor = factor
        self._start = None

    def restart_measurement(self) -> None:
        """Restart the measurement at the next step, after a pause."""
        self._start = None

    def wait_s(self, time_ns: int) -> float:
        """Return how long to wait [s] before the step that starts at this time; called in the run's thread."""
        factor = self.factor
        if factor is None:
            return 0.0
        now = self._now()
        start = self._start
        if start is None:
            self._start = (now, time_ns)
            return 0.0
        wait = start[0] + (time_ns - start[1]) / (1e9 * factor) - now
        if wait < -CATCH_UP_S:
            self._start = (now - CATCH_UP_S, time_ns)
        return max(0.0, wait)


WINDOW_NS = 2_000_000_000
"""Wall time over which the factor is measured."""


class RealTimeFactor:
    """Real-time factor of a run, measured over its last seconds."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, int]] = deque()

    def restart_measurement(self) -> None:
        """Restart the measurement after a pause."""
        self._samples.clear()

    def at(self, wall_ns: int, time_ns: int) -> float | None:
        """The current factor; None until it can be measured.

        Args:
            wall_ns: wall time.
            time_ns: simulated time that the run has reached.
        """
        samples = self._samples
        samples.append((wall_ns, time_ns))
        while len(samples) > 2 and wall_ns - samples[1][0] >= WINDOW_NS:
            samples.popleft()
        first_wall, first_time = samples[0]
        return (time_ns - first_time) / (wall_ns - first_wall) if wall_ns > first_wall else None


BY_HAND = "by hand"
"""Source of the events, and cause of the handovers, that a user requested during the run."""

OnDone: TypeAlias = Callable[[str | None], None]
"""Called once: with None when a request is carried out, else with the reason why not."""


@dataclass(frozen=True, slots=True)
class PlacementRequest:
    """A request to set an attribute to another value at the next barrier.

    Attributes:
        slot: index of the attribute.
        data: the new numbers, as the scene has them; poses and twists in the world frame.
        done: called with the outcome.
    """

    slot: int
    data: Floats
    done: OnDone


@dataclass(frozen=True, slots=True)
class HandoverRequest:
    """A request to hand an attribute over at the next barrier.

    Attributes:
        slot: index of the attribute.
        model: index of the new owner.
        done: called with the outcome.
    """

    slot: int
    model: int
    done: OnDone


@dataclass(frozen=True, slots=True)
class MembershipRequest:
    """A request that a model joins or leaves at the next barrier.

    Attributes:
        model: its index.
        joins: whether it joins.
        done: called with the outcome.
    """

    model: int
    joins: bool
    done: OnDone = lambda _: None


@dataclass(frozen=True, slots=True)
class RecordedAction:
    """A user's action that does not change the course of the run, such as a pause; it is only recorded."""

    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Controls:
    """The pending requests to a run.

    Attributes:
        stop: set to end the run at its next barrier.
        pause: holds the run between two steps.
        pace: upper limit of its speed.
        arrivals: events from outside, handled at the next barrier.
        requests: carried out at the next barrier, in order.
    """

    stop: threading.Event = field(default_factory=threading.Event)
    pause: Pause = field(default_factory=Pause)
    pace: Pace = field(default_factory=Pace)
    arrivals: SimpleQueue[Event] = field(default_factory=SimpleQueue)
    requests: deque[PlacementRequest | HandoverRequest | MembershipRequest | RecordedAction] = (
        field(default_factory=deque)
    )
