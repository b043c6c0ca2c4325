"""Concerns: reasons to doubt a run, merged from its observers' events; and the verdict."""

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
_CONCERN_KEYS = (SEVERITY, FROM, TO)

Identity: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]
"""A concern's name and those of its arguments that are text."""


class Severity(StrEnum):
    """How much a concern weakens a run's results, in ascending order."""

    NOTE = "note"
    """Worth knowing; nothing is doubtful."""
    WARNING = "warning"
    """The run's results may be wrong."""
    ABSURD = "absurd"
    """The motion is physically impossible."""

    @property
    def rank(self) -> int:
        """Position in ascending order, from 0."""
        return _ORDER[self]


_ORDER = {severity: rank for rank, severity in enumerate(Severity)}


class Verdict(StrEnum):
    """The verdict on a run."""

    FINE = "fine"
    """All that can be checked for this robot was checked and found correct."""
    UNCHECKED = "unchecked"
    """Nothing contradicts the results, but something important could not be checked."""
    DOUBTFUL = "doubtful"
    """The results may be wrong."""
    ABSURD = "absurd"
    """The motion is physically impossible."""
    STOPPED = "stopped"
    """The run was stopped before its end."""
    FAILED = "failed"
    """The run failed before its end."""


@dataclass(frozen=True, slots=True)
class Concern:
    """One reason to doubt a run.

    Attributes:
        name: e.g. ``link_touches``.
        severity: the highest of all its occurrences.
        from_ns: start of the first occurrence, in simulated time.
        to_ns: end of the last occurrence; the end of the run if it did not end before.
        arguments: arguments of the most severe occurrence, in SI units.
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
        """The concern in words, without its time."""
        return concern_text(self.name, self.arguments)

    def row(self) -> dict[str, Json]:
        """The concern as in ``summary.json``, with times in s."""
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
    """Sort key of concerns as rows: descending severity, then start."""
    arguments = json.dumps(row["arguments"], sort_keys=True, default=str)
    return -Severity(row["severity"]).rank, row["from"], row["name"], arguments


def is_concern(event: Event) -> bool:
    """Whether an event reports a concern: an event of `robot_health`, or a drop reported by a hand's observer."""
    is_reported = event.source == ROBOT_HEALTH or event.name == DROPPED
    return is_reported and event.arguments.get(SEVERITY) in _ORDER


def concerns_of(events: Iterable[Event], end_ns: int) -> tuple[Concern, ...]:
    """Return the concerns that events report, by descending severity, then by start.

    Events of one name with the same texts among their arguments (except for the severity) belong to the same
    concern. An event without an argument ``to`` [s] starts an occurrence, or reports that it has become worse and
    then has ``from`` [s]; one with ``to`` ends it. The order of the events does not matter.

    Args:
        events: events of a run; those that report no concern are ignored.
        end_ns: end of the run.
    """
    grouped: dict[Identity, list[Event]] = {}
    for event in events:
        if is_concern(event):
            grouped.setdefault(identity_of(event), []).append(event)
    found = [_merged(group, end_ns) for group in grouped.values()]
    return tuple(sorted(found, key=lambda concern: worst_first(concern.row())))


def run_concerns(
    events: Iterable[Event], failures: Iterable[Mapping[str, Json]], end_ns: int
) -> tuple[Concern, ...]:
    """Return the concerns of a run: reported ones, its failed tasks, and one if its observer failed.

    Args:
        events: see `concerns_of`.
        failures: rows of the failures after which the run continued.
        end_ns: end of the run.
    """
    kept = tuple(events)
    found = (
        *concerns_of(kept, end_ns),
        *_failed_tasks(kept),
        *_observer_failures(failures, end_ns),
    )
    return tuple(sorted(found, key=lambda concern: worst_first(concern.row())))


def _failed_tasks(events: Iterable[Event]) -> list[Concern]:
    """Concerns about the failed tasks of the robot's program, without those that are part of another task."""
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


def _observer_failures(failures: Iterable[Mapping[str, Json]], end_ns: int) -> tuple[Concern, ...]:
    times = [_ns(row.get("time")) for row in failures if row.get("model") == ROBOT_HEALTH]
    if not times:
        return ()
    return (Concern(NOT_WATCHED, Severity.WARNING, min(times), end_ns, {}, len(times)),)


def verdict_of(severities: Iterable[Severity], *, unseen: bool = False, ended: str = "") -> Verdict:
    """The verdict on a run.

    Args:
        severities: severities of its concerns.
        unseen: whether something important could not be checked.
        ended: ``failed``, or ``stopped`` before its end; anything else is a regular end.
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
    """The key that identifies the event's concern."""
    texts = {
        key: value
        for key, value in event.arguments.items()
        if isinstance(value, str) and key not in _CONCERN_KEYS
    }
    return event.name, tuple(sorted(texts.items()))


def severity_of(event: Event) -> Severity:
    """The severity of a concern's event."""
    return Severity(str(event.arguments[SEVERITY]))


class NewConcerns:
    """Finds the events with which a concern begins or becomes worse, so that each is shown once."""

    def __init__(self) -> None:
        self._shown: dict[Identity, Severity] = {}

    def is_new(self, event: Event) -> bool:
        """Whether the event is more severe than those shown of its concern; it counts as shown from now on."""
        identity, severity = identity_of(event), severity_of(event)
        shown = self._shown.get(identity)
        if shown is not None and shown.rank >= severity.rank:
            return False
        self._shown[identity] = severity
        return True


def _merged(events: Sequence[Event], end_ns: int) -> Concern:
    spans: dict[int, int] = {}
    for event in events:
        start_ns, end = _span(event)
        spans[start_ns] = max(spans.get(start_ns, -1), end)
    worst = max(events, key=_severity_key)
    arguments = {key: value for key, value in worst.arguments.items() if key not in _CONCERN_KEYS}
    last = max((end_ns if end < 0 else end) for end in spans.values())
    return Concern(
        worst.name, severity_of(worst), min(spans), max(last, min(spans)), arguments, len(spans)
    )


def _span(event: Event) -> tuple[int, int]:
    """Start and end [ns] of the occurrence; the end is -1 if the event does not end it."""
    start_s, end_s = event.arguments.get(FROM), event.arguments.get(TO)
    return (
        event.time_ns if start_s is None else _ns(start_s),
        -1 if end_s is None else _ns(end_s),
    )


def _ns(seconds: Any) -> int:
    return round(float(seconds or 0.0) * 1e9)


def _severity_key(event: Event) -> tuple[int, bool, int, str]:
    """Sort key that puts the most severe event last, regardless of the order of equally severe ones."""
    arguments = dict(event.arguments)
    text = json.dumps(arguments, sort_keys=True, default=str)
    return severity_of(event).rank, TO in arguments, event.time_ns, text
