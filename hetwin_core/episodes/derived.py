"""Data derived from a run's log: paired actions, spans of responsibility, and nearest approaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.events import ANNOUNCED, ROBOT, Event, Json, action_arguments, phase_of
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats

Running = TypeVar("Running")


@dataclass(frozen=True, slots=True)
class Annotation:
    """An action that the robot's program announced, from `begin_ns` to `end_ns` (equal if instant).

    Attributes:
        open_begin: only its end was announced.
        open_end: only its beginning was announced.
    """

    operation: str
    begin_ns: int
    end_ns: int
    arguments: Mapping[str, Json]
    open_begin: bool = False
    open_end: bool = False


def pair_annotations(events: Iterable[Event], start_ns: int, end_ns: int) -> list[Annotation]:
    """Pair the phases of the same operation of a robot.

    An end belongs to a beginning with the same arguments, else to one whose arguments are among its own, else to
    the newest one.

    Args:
        events: events of kind action, in order; the phase is one of their arguments.
        start_ns: start of actions without an announced beginning.
        end_ns: end of actions without an announced end.
    """
    done: list[Annotation] = []
    running: list[tuple[Event, dict[str, Json]]] = []
    for event in events:
        arguments = action_arguments(event)
        match phase_of(event):
            case "begin":
                running.append((event, arguments))
            case "end":
                begun = begun_by(running, _operation_and_arguments, event.name, arguments)
                if begun is None:
                    done.append(Annotation(event.name, start_ns, event.time_ns, arguments, True))
                else:
                    running.remove(begun)
                    done.append(Annotation(event.name, begun[0].time_ns, event.time_ns, begun[1]))
            case phase if phase != ANNOUNCED:
                done.append(Annotation(event.name, event.time_ns, event.time_ns, arguments))
    for event, arguments in running:
        done.append(Annotation(event.name, event.time_ns, end_ns, arguments, open_end=True))
    return sorted(done, key=lambda annotation: annotation.begin_ns)


def _operation_and_arguments(item: tuple[Event, dict[str, Json]]) -> tuple[str, dict[str, Json]]:
    return item[0].name, item[1]


def begun_by(
    running: Sequence[Running],
    content_of: Callable[[Running], tuple[str, Mapping[str, Json]]],
    operation: str,
    arguments: Mapping[str, Json],
) -> Running | None:
    """Return the beginning that an end belongs to, see `pair_annotations`; None if there is none.

    Args:
        running: open beginnings, in order.
        content_of: returns operation and arguments of a beginning.
        operation: operation of the end.
        arguments: arguments of the end.
    """
    newest_first = [(*content_of(entry), entry) for entry in reversed(running)]
    begun = [
        (known, entry)
        for name, known, entry in newest_first
        if name == operation and known.get(ROBOT) == arguments.get(ROBOT)
    ]
    same = [entry for known, entry in begun if known == arguments]
    less_specific = [
        entry for known, entry in begun if known and known.items() <= arguments.items()
    ]
    return next(iter([*same, *less_specific, *(entry for _, entry in begun)]), None)


Attribute: TypeAlias = tuple[str, str]
"""Entity and attribute."""


class Span(NamedTuple):
    """A model's period of responsibility, from `from_ns` to just before `to_ns`."""

    from_ns: int
    to_ns: int
    model: str


def spans(
    owners: Mapping[Attribute, str], handovers: Iterable[Handover], start_ns: int, end_ns: int
) -> dict[Attribute, tuple[Span, ...]]:
    """Divide the run into spans, for each attribute.

    The spans of an attribute have no gaps from the start to the end. A handover at the very end creates an empty
    last span, so that the last span always names the last owner; no other span is empty.

    Args:
        owners: owner of each attribute at the start.
        handovers: in chronological order.
        start_ns: start of the run.
        end_ns: end of the run.
    """
    changes: dict[Attribute, list[tuple[int, str]]] = {
        attribute: [(start_ns, model)] for attribute, model in owners.items()
    }
    for handover in handovers:
        attribute = handover.entity, handover.attribute
        time_ns = min(max(handover.time_ns, start_ns), end_ns)
        changes.setdefault(attribute, [(start_ns, handover.from_model)])
        changes[attribute].append((time_ns, handover.to_model))
    return {attribute: _cut(rows, end_ns) for attribute, rows in changes.items()}


def _cut(changes: list[tuple[int, str]], end_ns: int) -> tuple[Span, ...]:
    merged: list[tuple[int, str]] = []
    for time_ns, model in changes:
        if merged and merged[-1][0] == time_ns:
            merged.pop()
        if not merged or merged[-1][1] != model:
            merged.append((time_ns, model))
    ends = [time_ns for time_ns, _ in merged[1:]] + [end_ns]
    return tuple(
        Span(time_ns, end, model) for (time_ns, model), end in zip(merged, ends, strict=True)
    )


_CONTACT_DISTANCE_M = 2e-4


class Approach(NamedTuple):
    """The minimum distance of an object and another entity, in m (negative: penetration), and its time."""

    distance: float
    time_ns: int

    @property
    def touching(self) -> bool:
        """Whether they touched."""
        return self.distance <= _CONTACT_DISTANCE_M


def nearest_approaches(
    layout: Layout, times_ns: NDArray[np.int64], rows: Floats
) -> Mapping[tuple[str, str], Approach]:
    """Return the nearest approach of each pair in a log's proximity tables.

    Args:
        layout: the scene's layout.
        times_ns: (m,) time of each row, in ns.
        rows: (m, 12) as in `Snapshot.proximity`.

    Returns:
        (object, other) -> their nearest approach.
    """
    count = len(layout.entities)
    pairs = rows[:, :2]
    known = ((pairs >= 0) & (pairs < count) & (pairs == np.floor(pairs))).all(axis=1)
    known &= np.isfinite(rows[:, 2])
    rows, times_ns = rows[known], times_ns[known]
    order = np.lexsort((times_ns, rows[:, 2]))
    keys = rows[order, 0].astype(np.int64) * count + rows[order, 1].astype(np.int64)
    unique, first = np.unique(keys, return_index=True)
    names = [entity.name for entity in layout.entities]
    return {
        (names[key // count], names[key % count]): Approach(
            float(rows[order[i], 2]), int(times_ns[order[i]])
        )
        for key, i in zip(unique.tolist(), first.tolist(), strict=True)
    }
