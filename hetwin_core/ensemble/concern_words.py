"""Wording of the observers of a run: concerns, touches, grips and coverage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.events import Event, Json, event_from_summary
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.sentences.catalogue import group, say

_AT_START_NS = 100_000_000
"""Fingers that are closed before this time were not seen to close [ns]."""


def grip_sentences(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each period in which a hand held something outside the scene, and for each judged claim.

    Args:
        rows: the events of a run, as its summary has them.
    """
    names = (CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING, APPEARED, COVERAGE, JUDGED)
    events = [event_from_summary(row) for row in rows if row["name"] in names]
    judged = (event for event in events if event.name == JUDGED and not _is_usual(event))
    return [*_grip_sentences(events), *map(_judged_sentence, judged)]


def _is_usual(event: Event) -> bool:
    """Whether a claim gets no sentence, such as the one that nothing was touched."""
    return event.arguments["claim"] == TOUCHED and not event.arguments["known"]


def _judged_sentence(event: Event) -> str:
    """A judged claim in words."""
    given: dict[str, Any] = dict(event.arguments)
    about = {"hand": given["hand"], "claim": given["claim"], "at": event.time_ns}
    if given["known"] is None:
        return say("state.judged_unknown", **about, reason=given["reason"])
    reasons = [
        f"{voice['source'].replace('_', ' ')} {voice['quantity']:.3g} {voice['unit']}".strip()
        for voice in given["voices"]
        if voice["quantity"] is not None
    ]
    key = "judged_true" if given["known"] else "judged_false"
    sure = f"{given['probability']:.2f}"
    return say(f"state.{key}", **about, sure=sure, because=", ".join(reasons))


def _grip_sentences(events: Sequence[Event]) -> Iterator[str]:
    widths = {
        (event.arguments.get("subject"), event.time_ns): event.arguments.get("width")
        for event in events
        if event.name == COVERAGE
    }
    for number, event in enumerate(events):
        if event.name != CLOSED_ON_SOMETHING:
            continue
        hand = event.arguments.get("hand")
        end = next((e for e in events[number + 1 :] if _ends_grip(e, hand)), None)
        width = widths.get((hand, event.time_ns))
        until = None if end is None else end.time_ns
        if end is not None and end.name == APPEARED:
            thing = end.arguments.get("object")
            yield say("state.felt", hand=hand, width=width, begun=event.time_ns, object=thing)
        elif event.time_ns <= _AT_START_NS:
            yield say("state.closed_from_start", hand=hand, width=width, until=until)
        else:
            yield say("state.unseen_grip", hand=hand, width=width, begun=event.time_ns, until=until)


def _ends_grip(event: Event, hand: Json) -> bool:
    """Whether the hand released it, or an object was added for it."""
    of_hand = {LET_GO_OF_SOMETHING: "hand", APPEARED: "source"}.get(event.name)
    return of_hand is not None and event.arguments.get(of_hand) == hand


def coverage_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """The checked and the unchecked claims, e.g. ``touches of 7 links checked; not checked: base (no odometry)``.

    Args:
        rows: rows of the run's coverage, as the summary has them.
    """
    if not rows:
        return say("verdict.nothing_checked")
    of_claim: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        of_claim.setdefault(str(row["claim"]), []).append(row)
    checked = [
        say(f"claim.{claim}", count=sum(len(row["of"]) for row in checked_rows))
        for claim, claim_rows in of_claim.items()
        if (checked_rows := [row for row in claim_rows if row["checked"]])
    ]
    unchecked = [
        _unchecked_words(claim, unchecked_rows)
        for claim, claim_rows in of_claim.items()
        if (unchecked_rows := [row for row in claim_rows if not row["checked"]])
    ]
    text = say("verdict.checked", checked=", ".join(checked), missed=", ".join(unchecked))
    return text.removeprefix("; ")


def claim_named(word: str) -> str | None:
    """The claim that a word names in singular or plural, e.g. ``grips``; None if it names no claim."""
    return next((name for name in group("claim") if word in (name, _plural(name))), None)


def claim_words() -> Iterable[str]:
    """The words that name claims, in the plural."""
    return map(_plural, group("claim"))


def _plural(claim: str) -> str:
    return say(f"claim.{claim}", count=0)


def _unchecked_words(claim: str, rows: Sequence[Mapping[str, Any]]) -> str:
    reasons = ", ".join(dict.fromkeys(str(row["why"]) for row in rows if row.get("why")))
    return f"{_plural(claim)} ({reasons})" if reasons else _plural(claim)


ROBOT_HEALTH = "robot_health"
"""Name and type of the observer that raises concerns; added to every ensemble whose main model can be watched."""
TOUCHED, TOUCH_ENDED = "touched", "touch_ended"
"""Events of this observer about touches of the robot's links; they are not concerns."""

COVERAGE = "coverage"
"""Event with which this observer reports whether a claim is checked from then on."""

CLOSED_ON_SOMETHING = "closed_on_something"
"""Event of a grasp monitor: the fingers closed and stopped before the end of their travel, with no object of the scene
between them. They hold something outside the scene, or stopped on command.
"""
KNOWN_BELOW, KNOWN_ABOVE = 0.2, 0.8
"""A claim is unknown if its probability lies between these."""
JUDGED = "judged"
"""Event of the evidence model: the probability of a claim, and the quantities that it is based on."""
LET_GO_OF_SOMETHING = "let_go_of_something"
"""End of `CLOSED_ON_SOMETHING`: the fingers opened, closed fully, or hold an object of the scene."""
APPEARED = "appeared"
"""Event of a model that detects objects: an object was added for something that a sensor saw or a hand closed on."""
MENDED, BREAKS_OFF = "mended", "breaks_off"
"""Findings about a recording: messages out of order, misdated or not finite, and truncated files."""
DROPPED = "dropped"
"""Event of an observer of hands; a concern, with a severity, if the drop was not intended."""

_MAX_NAMED = 4
"""Maximum number of joints that are named; the remaining ones are counted."""
_OMITTED_ARGUMENTS = ("severity", "from", "to")


def concern_text(name: str, arguments: Mapping[str, Json]) -> str:
    """A concern in words, e.g. ``forearm is 3.2 cm inside table``; unknown names and arguments get a generic text."""
    start, end_time = arguments.get("from"), arguments.get("to")
    known = isinstance(start, float) and isinstance(end_time, float)
    duration = end_time - start if known else None  # type: ignore[operator]
    key = f"{name}_{arguments.get('what')}" if name == MENDED else name
    if key in group("concern"):
        lists = {
            k: some(map(str, v), _MAX_NAMED) for k, v in arguments.items() if isinstance(v, list)
        }
        try:
            return say(f"concern.{key}", **{**arguments, **lists, "lasted": duration})
        except (KeyError, TypeError, ValueError):
            pass  # the arguments are those of an older or newer version
    text = ", ".join(
        f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in arguments.items()
        if value is not None and key not in _OMITTED_ARGUMENTS
    )
    return name.replace("_", " ") + (f" ({text})" if text else "")
