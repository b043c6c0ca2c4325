"""Coverage of a run: for each claim and subject, its sources and times, or why it was not checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

from hetwin_core.ensemble.concern_words import (
    COVERAGE,
    ROBOT_HEALTH,
    claim_named,
    claim_words,
)
from hetwin_core.ensemble.conductor.reporting.concerns import Concern, Severity
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.ensemble.tasks import Status


class Claim(StrEnum):
    """A kind of claim that a run can make."""

    GRIP = "grip"
    """The object in a hand."""
    TOUCH = "touch"
    """Touches of a robot's links."""
    EFFORT = "effort"
    """Whether a robot's joints bear a load that the scene does not explain."""
    MOTION = "motion"
    """Whether a robot's joints move plausibly."""
    SUPPORT = "support"
    """The support of an object."""
    DROP = "drop"
    """Whether an object falls, topples or flies off."""
    CONNECTION = "connection"
    """The socket of a plug."""
    CONTAINER = "container"
    """The container of an object."""
    BASE = "base"
    """The pose of a mobile robot's base."""
    TIME = "time"
    """Whether the stamps of recorded or received messages are plausible."""
    OUTCOME = "outcome"
    """Whether the scenario's outcomes were achieved."""
    TASK = "task"
    """Whether a task of the robot's program succeeded."""


_CLAIM_OF_CONCERN: Mapping[str, Claim] = {
    "link_touches": Claim.TOUCH,
    "starts_inside": Claim.TOUCH,
    "unexpected_effort": Claim.EFFORT,
    "unexplained_load": Claim.EFFORT,
    "beyond_limit": Claim.MOTION,
    "deviates": Claim.MOTION,
    "jump": Claim.MOTION,
    "contradiction": Claim.MOTION,
    "gap": Claim.TIME,
    "mended": Claim.TIME,
    "breaks_off": Claim.TIME,
    "clock_offset": Claim.TIME,
    "left_out": Claim.MOTION,
    "other_units": Claim.MOTION,
    "stalled_on_nothing": Claim.GRIP,
    "closed_but_holds": Claim.GRIP,
    "fell": Claim.DROP,
    "flung": Claim.DROP,
    "toppled": Claim.DROP,
    "left_the_world": Claim.DROP,
    "dropped": Claim.DROP,
    "task_failed": Claim.TASK,
}


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One claim about one subject.

    Attributes:
        claim: kind of the claim.
        subject: the robot, hand, object, task or outcome that it is about.
        checked: whether it was checked as completely as this robot allows.
        holds: whether the observations support it; None if it was not checked.
        sources: evidence of the check.
        of: the links or joints.
        spans: when it was checked: (from, to) in simulated time [ns].
        why: the reason why it, or a part of it, was not checked; empty without one.
        matters: whether something may have happened unobserved.
        width: distance between fingers that stopped on something outside the scene [m]; None if it is not reported.
    """

    claim: Claim
    subject: str
    checked: bool
    holds: bool | None = None
    sources: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    why: str = ""
    matters: bool = True
    width: float | None = None

    @property
    def unseen(self) -> bool:
        """Whether something may have happened unobserved."""
        return not self.checked and self.matters

    def row(self) -> dict[str, Json]:
        """The row as in ``summary.json``, with times in s."""
        return {
            "claim": self.claim.value,
            "subject": self.subject,
            "checked": self.checked,
            "holds": self.holds,
            "from": list(self.sources),
            "of": list(self.of),
            "spans": [[start / 1e9, end / 1e9] for start, end in self.spans],
            "why": self.why or None,
            "matters": self.matters,
        }


def is_coverage(event: EventLike) -> bool:
    """Whether an event is about coverage; it is shown as coverage, not among the run's events."""
    return event.name == COVERAGE and event.source == ROBOT_HEALTH


def coverage_event(covered: CoverageRow, time_ns: int) -> Event:
    """Return the event that reports whether a claim is checked from a time on."""
    arguments: dict[str, Json] = {
        "claim": covered.claim.value,
        "subject": covered.subject,
        "checked": covered.checked,
        "from": list(covered.sources),
        "of": list(covered.of),
        "why": covered.why,
        "matters": covered.matters,
    }
    if covered.width is not None:
        arguments["width"] = covered.width
    return Event(COVERAGE, time_ns, arguments=arguments)


def coverage_of(
    events: Iterable[Event], concerns: Sequence[Concern], begun_ns: int, end_ns: int
) -> tuple[CoverageRow, ...]:
    """Return the coverage of a run from its events, in the order in which each claim first appears.

    Args:
        events: events of the run; only those of coverage and of tasks are used.
        concerns: concerns of the run, which decide which claims hold.
        begun_ns: start of the run, in simulated time.
        end_ns: end of the run.
    """
    by_claim = _by_claim(events)
    found = [
        _merged(claim_events, concerns, begun_ns, end_ns) for claim_events in by_claim.values()
    ]
    return (*found, *_task_rows(events))


def ended_early(
    coverage: Iterable[CoverageRow], end_ns: int, requested_ns: int
) -> tuple[CoverageRow, ...]:
    """Return the coverage of a run whose input ended before the requested time."""
    why = say("coverage.ended_early", ended=end_ns / 1e9, asked=requested_ns / 1e9)
    return tuple(
        replace(row, checked=False, holds=None, why=why) if row.claim is Claim.TIME else row
        for row in coverage
    )


def unseen(coverage: Sequence[CoverageRow]) -> bool:
    """Whether something may have happened unobserved in a run, as in a run without observers."""
    return not coverage or any(row.unseen for row in coverage)


class EventLike(Protocol):
    """An event of a run or of its log."""

    @property
    def name(self) -> str:
        """Name of the event."""

    @property
    def source(self) -> str:
        """Name of the reporter."""

    @property
    def time_ns(self) -> int:
        """Simulated time [ns]."""

    @property
    def arguments(self) -> Mapping[str, Json]:
        """Arguments of the event."""


class CheckedInterval(NamedTuple):
    """An interval in which a claim was checked, or was not.

    Attributes:
        from_ns: start, included.
        to_ns: end, excluded.
        checked: whether it was checked.
        sources: evidence of the check.
        of: the links or joints.
        why: why it was not checked.
    """

    from_ns: int
    to_ns: int
    checked: bool
    sources: tuple[str, ...]
    of: tuple[str, ...]
    why: str


def checked_intervals(
    events: Iterable[EventLike], begun_ns: int, end_ns: int
) -> dict[tuple[Claim, str], tuple[CheckedInterval, ...]]:
    """Return for each claim and subject the intervals in which it was checked or not, without gaps.

    The first report holds from the start of the run, because an observer may need some time to initialize.
    """
    by_claim = _by_claim(events)
    return {
        key: _intervals(claim_events, begun_ns, end_ns) for key, claim_events in by_claim.items()
    }


def _by_claim(events: Iterable[EventLike]) -> dict[tuple[Claim, str], list[EventLike]]:
    """The events of coverage by claim and subject, in the order of first appearance."""
    by_claim: dict[tuple[Claim, str], list[EventLike]] = {}
    for event in events:
        if is_coverage(event):
            key = Claim(str(event.arguments["claim"])), str(event.arguments["subject"])
            by_claim.setdefault(key, []).append(event)
    return by_claim


def _intervals(
    events: Sequence[EventLike], begun_ns: int, end_ns: int
) -> tuple[CheckedInterval, ...]:
    ordered = sorted(events, key=lambda event: event.time_ns)
    times = [begun_ns, *(max(begun_ns, event.time_ns) for event in ordered[1:]), end_ns]
    return tuple(
        CheckedInterval(
            start,
            end,
            bool(event.arguments["checked"]),
            _names(event.arguments["from"]),
            _names(event.arguments["of"]),
            str(event.arguments["why"]),
        )
        for event, (start, end) in zip(ordered, pairwise(times), strict=True)
    )


class DecidingClaim(NamedTuple):
    """The claim that decides whether a predicate is known.

    Attributes:
        claim: kind of the claim.
        argument: index of the predicate's argument that is the claim's subject; -1: any subject.
    """

    claim: Claim
    argument: int


DECIDED_BY: Mapping[str, DecidingClaim] = {
    "holding": DecidingClaim(Claim.GRIP, 0),
    "held_object": DecidingClaim(Claim.GRIP, 0),
    "held": DecidingClaim(Claim.GRIP, 1),
    "carried": DecidingClaim(Claim.GRIP, -1),
    "on": DecidingClaim(Claim.SUPPORT, 0),
    "borne_by": DecidingClaim(Claim.SUPPORT, 0),
    "connected": DecidingClaim(Claim.CONNECTION, 0),
    "in_container": DecidingClaim(Claim.CONTAINER, 0),
    "dropped": DecidingClaim(Claim.DROP, 0),
}
"""Predicates that are known to be false only if the claim was checked; they are true if a model observed them."""


def known_state(
    state: Mapping[str, bool], coverage: Iterable[CoverageRow], end_ns: int
) -> dict[str, bool | None]:
    """Return the predicates at the end of a run: true, false, or None if a false one could not be checked.

    Args:
        state: the predicates as the models have them, e.g. ``held(box, gripper)``.
        coverage: coverage of the run.
        end_ns: end of the run.
    """
    unchecked = [row for row in coverage if not (row.spans and row.spans[-1][1] == end_ns)]
    return {n: v if v or not _is_unchecked(n, unchecked) else None for n, v in state.items()}


def _is_unchecked(predicate: str, unchecked: Iterable[CoverageRow]) -> bool:
    """Whether a claim that decides a predicate was unchecked at the end."""
    name, _, rest = predicate.partition("(")
    arguments = [part.strip() for part in rest.rstrip(")").split(",")]
    deciding = DECIDED_BY.get(name)
    if deciding is None:
        return False
    subject_key = arguments[deciding.argument] if 0 <= deciding.argument < len(arguments) else None
    return any(o.claim is deciding.claim and subject_key in (None, o.subject) for o in unchecked)


def _merged(
    events: Sequence[EventLike], concerns: Sequence[Concern], begun_ns: int, end_ns: int
) -> CoverageRow:
    """Merge the events about one claim: the last event gives the texts, all events give the spans."""
    ordered = sorted(events, key=lambda event: event.time_ns)
    merged: list[tuple[int, int]] = []
    for start, end, checked, *_ in _intervals(ordered, begun_ns, end_ns):
        if not checked or end <= start:
            continue
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    unchecked = [event for event in ordered if not event.arguments["checked"]]
    last = (unchecked or ordered)[-1].arguments
    claim, subject = Claim(str(last["claim"])), str(last["subject"])
    return CoverageRow(
        claim,
        subject,
        not unchecked,
        _holds(claim, subject, concerns) if merged else None,
        _names(last["from"]),
        _names(last["of"]),
        tuple(merged),
        str(last["why"]),
        bool(last["matters"]),
    )


def _holds(claim: Claim, subject: str, concerns: Sequence[Concern]) -> bool:
    """Whether no serious concern contradicts a claim."""
    serious = (c for c in concerns if c.severity is not Severity.NOTE)
    subject_key = "hand" if claim is Claim.GRIP else "object"
    return not any(
        _CLAIM_OF_CONCERN.get(c.name) is claim and c.arguments.get(subject_key, subject) == subject
        for c in serious
    )


def _names(value: Json) -> tuple[str, ...]:
    return tuple(str(name) for name in value) if isinstance(value, list) else ()


def _task_rows(events: Iterable[Event]) -> list[CoverageRow]:
    """A row for each task of the robot's program that is not part of another task."""
    last: dict[str, Event] = {}
    first_ns: dict[str, int] = {}
    for event in events:
        name = event.arguments.get("id")
        if event.kind is EventKind.TASK and isinstance(name, str):
            if not event.arguments.get("parent"):
                last[name] = event
            first_ns.setdefault(name, event.time_ns)
    return [_task_row(name, event, first_ns[name]) for name, event in last.items()]


def _task_row(name: str, event: Event, begun_ns: int) -> CoverageRow:
    holds = {Status.DONE.value: True, Status.FAILED.value: False}.get(
        str(event.arguments["status"])
    )
    return CoverageRow(
        Claim.TASK,
        name,
        holds is not None,
        holds,
        ("the robot's program",),
        spans=((begun_ns, event.time_ns),),
        why="" if holds is not None else say("coverage.no_end"),
        matters=False,
    )


def parse_claims(words: Iterable[str], where: str) -> tuple[str, ...]:
    """Return the claims that words name, each once.

    Args:
        words: names of claims in singular or plural.
        where: option or key of the words, for errors.

    Raises:
        BadInput: if there is no such claim.
    """
    found: dict[str, None] = {}
    for word in words:
        claim = claim_named(word)
        if claim is None:
            expected = one_of(word, list(claim_words()))
            raise BadInput("there is no such claim", where=where, found=word, expected=expected)
        found[claim] = None
    return tuple(found)


class UnmetClaim(NamedTuple):
    """A required claim that is not met: the reason in words, and whether it was merely unchecked."""

    text: str
    unchecked: bool


def unmet_claims(
    rows: Sequence[Mapping[str, Any]], required: Iterable[str]
) -> Iterator[UnmetClaim]:
    """Yield the required claims that were not checked, or do not hold.

    Args:
        rows: coverage as in a run's summary.
        required: names of claims.
    """
    for claim in required:
        claim_rows = [row for row in rows if row["claim"] == claim]
        if not claim_rows:
            yield UnmetClaim(f"{claim}: this run has no data to check it", True)
        for row in claim_rows:
            if not row["checked"]:
                yield UnmetClaim(f"{claim} of {row['subject']}: not checked ({row['why']})", True)
            elif row["holds"] is False:
                yield UnmetClaim(f"{claim} of {row['subject']}: does not hold", False)
