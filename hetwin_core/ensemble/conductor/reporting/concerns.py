"""Concerns: reasons to doubt a run, folded from its observers' events, and the verdict."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from hetwin_core.ensemble.concern_words import DROPPED, ROBOT_HEALTH, concern_text
from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.ensemble.tasks import Status

NOT_WATCHED = "not_watched"
"""Concern of a run whose observer failed."""
TASK_FAILED = "task_failed"
"""Concern of a run in which a task of the robot's program failed."""

SEVERITY, FROM, TO = "severity", "from", "to"
_OF_TIME = (SEVERITY, FROM, TO)

Identity: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]
"""A concern's name and those of its arguments that are text."""


class Severity(StrEnum):
    """How much a concern weakens a run's results, the least first."""

    NOTE = "note"
    """Worth knowing; nothing is doubtful."""
    WARNING = "warning"
    """The run's results may be wrong."""
    ABSURD = "absurd"
    """No robot and no object does this."""

    @property
    def rank(self) -> int:
        """Position from the least, 0, on."""
        return _ORDER[self]


_ORDER = {severity: rank for rank, severity in enumerate(Severity)}


class Verdict(StrEnum):
    """The verdict on a run."""

    FINE = "fine"
    """All that can be checked for this robot was, and speaks for it."""
    UNCHECKED = "unchecked"
    """Nothing speaks against it, and something that matters was not seen."""
    DOUBTFUL = "doubtful"
    """Something speaks against it."""
    ABSURD = "absurd"
    """No robot and no object behaves so."""
    STOPPED = "stopped"
    """It was stopped before its end."""
    FAILED = "failed"
    """It could not be carried out to its end."""


@dataclass(frozen=True, slots=True)
class Concern:
    """One thing that a user should know of.

    Attributes:
        name: e.g. ``link_touches``.
        severity: the worst of all its occurrences.
        from_ns: when the first one began, in simulated time.
        to_ns: when the last one ended; the end of the run if it had not.
        arguments: of the worst occurrence, in SI units.
        count: number of occurrences.
    """

    name: str
    severity: Severity
    from_ns: int
    to_ns: int
    arguments: Mapping[str, Json]
    count: int

    @property
    def text(self) -> str:
        """In words, without its time."""
        return concern_text(self.name, self.arguments)

    def row(self) -> dict[str, Json]:
        """As ``summary.json`` has it, with times in s."""
        return {
            "name": self.name,
            "severity": self.severity.value,
            "from": self.from_ns / 1e9,
            "to": self.to_ns / 1e9,
            "arguments": dict(self.arguments),
            "text": self.text,
            "count": self.count,
        }


def worst_first(row: Mapping[str, Any]) -> tuple[int, float, str, str]:
    """The order of concerns as rows: the worst first, then by their beginning."""
    arguments = json.dumps(row["arguments"], sort_keys=True, default=str)
    return -Severity(row["severity"]).rank, row["from"], row["name"], arguments


def is_concern(event: Event) -> bool:
    """Whether an event is about a concern: of the robot's observer, or a drop that an observer of hands reports."""
    told = event.source == ROBOT_HEALTH or event.name == DROPPED
    return told and event.arguments.get(SEVERITY) in _ORDER


def concerns_of(events: Iterable[Event], end_ns: int) -> tuple[Concern, ...]:
    """The concerns that events are about, the worst first, then by their beginning.

    Events of one name with the same texts among their arguments (but for the severity) are about the same concern.
    One without an argument ``to`` [s] begins an occurrence, or reports that it has become worse and then has ``from``
    [s]; one with ``to`` ends it. The order of the events does not matter.

    Args:
        events: of a run; others than concerns are left out.
        end_ns: when the run ended.
    """
    grouped: dict[Identity, list[Event]] = {}
    for event in events:
        if is_concern(event):
            grouped.setdefault(identity_of(event), []).append(event)
    found = [_folded(group, end_ns) for group in grouped.values()]
    return tuple(sorted(found, key=lambda concern: worst_first(concern.row())))


def run_concerns(
    events: Iterable[Event], failures: Iterable[Mapping[str, Json]], end_ns: int
) -> tuple[Concern, ...]:
    """The concerns of a run: those that its events are about, its failed tasks, and one if its observer failed.

    Args:
        events: see `concerns_of`.
        failures: rows of the failures that the run outlived.
        end_ns: when the run ended.
    """
    kept = tuple(events)
    found = (*concerns_of(kept, end_ns), *_failed_tasks(kept), *_not_watched(failures, end_ns))
    return tuple(sorted(found, key=lambda concern: worst_first(concern.row())))


def _failed_tasks(events: Iterable[Event]) -> list[Concern]:
    """The tasks of the robot's program that failed, but for those that are part of another one."""
    last = {
        str(event.arguments.get("id")): event
        for event in events
        if event.kind is EventKind.TASK and not event.arguments.get("parent")
    }
    failed = [e for e in last.values() if e.arguments.get("status") == Status.FAILED]
    return [
        Concern(
            TASK_FAILED,
            Severity.WARNING,
            event.time_ns,
            event.time_ns,
            {"task": event.arguments["id"], "reason": event.arguments.get("reason") or None},
            1,
        )
        for event in failed
    ]


def _not_watched(failures: Iterable[Mapping[str, Json]], end_ns: int) -> tuple[Concern, ...]:
    times = [_ns(row.get("time")) for row in failures if row.get("model") == ROBOT_HEALTH]
    if not times:
        return ()
    return (Concern(NOT_WATCHED, Severity.WARNING, min(times), end_ns, {}, len(times)),)


def verdict_of(severities: Iterable[Severity], *, unseen: bool = False, ended: str = "") -> Verdict:
    """The verdict on a run.

    Args:
        severities: of its concerns.
        unseen: whether something that matters was not seen.
        ended: how it ended: ``failed``, or ``stopped`` before its end; anything else is a regular end.
    """
    if ended in (Verdict.FAILED, Verdict.STOPPED):
        return Verdict(ended)
    worst = max(severities, key=lambda s: s.rank, default=Severity.NOTE)
    match worst:
        case Severity.ABSURD:
            return Verdict.ABSURD
        case Severity.WARNING:
            return Verdict.DOUBTFUL
        case _:
            return Verdict.UNCHECKED if unseen else Verdict.FINE


def identity_of(event: Event) -> Identity:
    """The key that distinguishes the event's concern."""
    texts = {
        key: value
        for key, value in event.arguments.items()
        if isinstance(value, str) and key not in _OF_TIME
    }
    return event.name, tuple(sorted(texts.items()))


def severity_of(event: Event) -> Severity:
    """The severity that a concern's event has."""
    return Severity(str(event.arguments[SEVERITY]))


class NewConcerns:
    """Finds the events with which a concern begins or becomes worse, so that each is shown once."""

    def __init__(self) -> None:
        self._shown: dict[Identity, Severity] = {}

    def is_new(self, event: Event) -> bool:
        """Whether nothing as severe was shown of this concern; it counts as shown from now on."""
        identity, severity = identity_of(event), severity_of(event)
        before = self._shown.get(identity)
        if before is not None and before.rank >= severity.rank:
            return False
        self._shown[identity] = severity
        return True


def _folded(events: Sequence[Event], end_ns: int) -> Concern:
    spans: dict[int, int] = {}
    for event in events:
        begun, ended = _span(event)
        spans[begun] = max(spans.get(begun, -1), ended)
    worst = max(events, key=_weight)
    arguments = {key: value for key, value in worst.arguments.items() if key not in _OF_TIME}
    last = max((end_ns if ended < 0 else ended) for ended in spans.values())
    return Concern(
        worst.name, severity_of(worst), min(spans), max(last, min(spans)), arguments, len(spans)
    )


def _span(event: Event) -> tuple[int, int]:
    """Beginning and end [ns] of the occurrence; -1: the event does not end it."""
    begun, ended = event.arguments.get(FROM), event.arguments.get(TO)
    return (
        event.time_ns if begun is None else _ns(begun),
        -1 if ended is None else _ns(ended),
    )


def _ns(seconds: Any) -> int:
    return round(float(seconds or 0.0) * 1e9)


def _weight(event: Event) -> tuple[int, bool, int, str]:
    """Puts the worst event last, whatever the order of those that are equally bad."""
    arguments = dict(event.arguments)
    text = json.dumps(arguments, sort_keys=True, default=str)
    return severity_of(event).rank, TO in arguments, event.time_ns, text
