"""Intervals in which beliefs were incorrect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import overload

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.beliefs import LOC
from hetwin_core.episodes.tables.intervals import Intervals
from hetwin_core.episodes.tables.lists import BeliefList, Numbers, OccasionList
from hetwin_core.episodes.tables.rows import BeliefError, Interval
from hetwin_core.episodes.tables.tables import Unseen


@dataclass(slots=True)
class PoseError:
    """A period in which a believed pose is incorrect; see `BeliefError`."""

    entity: str
    from_ns: int
    believed_ns: int
    moved_ns: int
    distance: float = 0.0
    angle: float = 0.0
    to_ns: int | None = None


MIN_DURATION_NS = 250_000_000
"""Minimum duration of an error [ns]; shorter ones are the delay until the next message."""


class ErrorList(Sequence[BeliefError]):
    """Errors of beliefs, by start time; computed on first access. See `belief_errors` for the arguments."""

    def __init__(
        self,
        beliefs: BeliefList,
        occasions: OccasionList,
        recorded: frozenset[str],
        poses: Mapping[str, Sequence[PoseError]],
        until_ns: int,
        unseen: Unseen | None = None,
    ) -> None:
        self._find = partial(belief_errors, beliefs, occasions, recorded, poses, until_ns, unseen)

    @cached_property
    def _errors(self) -> tuple[BeliefError, ...]:
        return self._find()

    def __len__(self) -> int:
        return len(self._errors)

    @overload
    def __getitem__(self, index: int) -> BeliefError: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[BeliefError]: ...

    def __getitem__(self, index: int | slice) -> BeliefError | Sequence[BeliefError]:
        return self._errors[index]


def belief_errors(
    beliefs: BeliefList,
    occasions: OccasionList,
    recorded: frozenset[str],
    poses: Mapping[str, Sequence[PoseError]],
    until_ns: int,
    unseen: Unseen | None = None,
) -> tuple[BeliefError, ...]:
    """Return the errors of beliefs, by start time; only for fluents that the log records.

    Args:
        beliefs: beliefs of the robot.
        occasions: occasions of the world.
        recorded: the fluents that the log records.
        poses: entity -> errors of believed poses.
        until_ns: time until which the log is known.
        unseen: when it was not observed whether a fluent is false, so that no belief in it counts as incorrect;
            None: never.
    """
    found = [error for errors in poses.values() for error in _pose_errors(errors, until_ns)]
    for fluent, a, b, times, holds in beliefs.histories():
        if fluent != LOC and fluent in recorded:
            held = Intervals(row.span for row in occasions.find(fluent, a, b))
            blind = [] if unseen is None else unseen.of(fluent, {a}, {b} if b else None)
            excluded = held | Intervals(interval.span for interval in blind)
            found += _fluent_errors((fluent, a, b), times, holds, held, excluded, until_ns)
    found = [error for error in found if error.span.to_ns - error.span.from_ns >= MIN_DURATION_NS]
    found.sort(key=lambda error: (error.span.from_ns, error.fluent, error.a, error.b))
    return tuple(error._replace(row=row) for row, error in enumerate(found))


def _pose_errors(errors: Sequence[PoseError], until_ns: int) -> Iterator[BeliefError]:
    for error in errors:
        if error.from_ns <= until_ns:
            to_ns = until_ns if error.to_ns is None else min(error.to_ns, until_ns)
            yield BeliefError(
                row=-1,
                fluent="loc",
                a=error.entity,
                b="",
                span=Interval(error.from_ns, to_ns),
                distance=error.distance,
                angle=error.angle,
                believed_ns=error.believed_ns,
                moved_ns=error.moved_ns,
            )


def _fluent_errors(
    about: tuple[str, str, str],
    times: Numbers,
    holds: NDArray[np.bool_],
    held: Intervals,
    excluded: Intervals,
    until_ns: int,
) -> Iterator[BeliefError]:
    changes = np.flatnonzero(np.diff(holds, prepend=not holds[0]))
    ends = [*times[changes[1:]].tolist(), until_ns]
    for first, from_ns, to_ns in zip(changes, times[changes].tolist(), ends, strict=True):
        believed = Intervals([(from_ns, to_ns)])
        wrong = believed - excluded if holds[first] else believed & held
        for span in wrong:
            formation_times = times[: np.searchsorted(times, span.to_ns)]
            yield BeliefError(
                row=-1,
                fluent=about[0],
                a=about[1],
                b=about[2],
                span=span,
                distance=0.0,
                angle=0.0,
                believed_ns=int(formation_times[-1]),
                moved_ns=_last_change_ns(span.from_ns, held),
            )


def _last_change_ns(time_ns: int, held: Intervals) -> int:
    """The last change of the world up to a time; the time itself if there was none."""
    changes = [time for span in held for time in span if time <= time_ns]
    return max(changes, default=time_ns)
