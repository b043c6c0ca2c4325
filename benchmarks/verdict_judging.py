"""Judges what a run says, by what is so."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verdict_cases import EFFORTS, FINGERS, MASSES, SHAPES, SILENT, SURE_S, Case
from verdict_files import HAND
from verdict_robots import KINDS, lab
from verdict_scenes import BOX

from hetwin_suite.cli import outcome
from hetwin_suite.running.request import FinishedRun

FINE = "fine"
NEAR_S = 0.3
"""What is named is at most so far from where it is."""
FALL_S = 2.0
"""A thing that was let go is down after this."""
_LACKS = {
    "grip": {FINGERS, SHAPES},
    "touch": {SHAPES},
    "effort": {EFFORTS, MASSES},
    "support": {SHAPES},
    "drop": {SHAPES, FINGERS},
    "time": set[str](),
}
"""Which missing inputs excuse that a claim was not checked."""
_BLIND = {"touch": {SHAPES}, "effort": {EFFORTS, MASSES}, "grip": {FINGERS}}
"""Without which inputs a claim cannot be checked."""

_HELD = frozenset({f"held({BOX}, {HAND})", f"held_object({HAND}, {BOX})"})
_CARRIED = f"carried({BOX})"
_HOLDING = f"holding({HAND})"
_GRIPPED = _HELD | {_CARRIED, _HOLDING}
"""What a state says of a grip."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Judged:
    """What is right and wrong of one run; texts for a person.

    Attributes:
        verdict: of the run; ``refused`` if there is none.
        false_fine: why it is not fine, although it says so.
        false_so: claims that hold and states that are true, which are not so.
        false_not_so: what it denies that is so.
        unseen: claims not checked that could be.
        overseen: claims checked that could not be.
        named: of what is planted and can be seen, whether it is named.
        alarms: of a clean run.
        said: what the run prints.
    """

    verdict: str
    false_fine: list[str] = field(default_factory=list)
    false_so: list[str] = field(default_factory=list)
    false_not_so: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    overseen: list[str] = field(default_factory=list)
    named: dict[str, bool] = field(default_factory=dict)
    alarms: list[str] = field(default_factory=list)
    said: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether a person should look at it."""
        missed = not all(self.named.values())
        said = (self.false_fine, self.false_so, self.false_not_so)
        return missed or any((*said, self.unseen, self.overseen, self.alarms))


def judge(case: Case, run: Path) -> Judged:
    """Judge the run in a folder."""
    file = run / "summary.json"
    if not file.exists():
        return Judged("refused", alarms=["refused"] if case.is_clean else [])
    summary: Row = json.loads(file.read_text(encoding="utf-8"))
    said = _said(summary, run)
    return Judged(
        str(summary.get("verdict")),
        [*_false_fine(case, summary)],
        [*_false_so(case, summary)],
        [*_false_not_so(case, summary, said)],
        [*_unseen(case, summary)],
        [*_overseen(case, summary)],
        _named(case, summary),
        [*_alarms(case, summary)] if case.is_clean else [],
        said,
    )


def _said(summary: Row, run: Path) -> str:
    """What the command prints of a run."""
    text = io.StringIO()
    with redirect_stdout(text), redirect_stderr(text):
        print("\n".join(outcome.lines(FinishedRun(summary, 0, run))))
    return text.getvalue()


def _coverage(summary: Row) -> Sequence[Row]:
    rows: Sequence[Row] = summary.get("coverage") or ()
    return rows


def _events(summary: Row, name: str) -> Iterator[Row]:
    """Arguments of the events of a name, with their times."""
    for event in summary.get("events", ()):
        if event["name"] == name:
            yield {**event.get("arguments", {}), "at": float(event["time"])}


def _concerns(summary: Row, name: str) -> Iterator[Row]:
    for concern in summary.get("concerns", ()):
        if concern["name"] == name:
            yield {**concern["arguments"], "at": float(concern["from"])}


# ---------------------------------------------------------------------- false fine


def _false_fine(case: Case, summary: Row) -> Iterator[str]:
    why = _against(case)
    if why and summary.get("verdict") == FINE:
        yield f"fine: {why}"


def _false_so(case: Case, summary: Row) -> Iterator[str]:
    for row in _coverage(summary):
        if row.get("holds") is True and _is_untrue(case, row):
            yield f"{row['claim']} of {row['subject']} holds"
    truth, state = case.truth, summary.get("state") or {}
    if truth.grip is None or truth.held[1] < truth.until - SURE_S:
        yield from (f"{name} is true" for name in sorted(_GRIPPED) if state.get(name) is True)


def _against(case: Case) -> str:
    """Why a run is not fine; empty if it may be.

    Whether efforts or fingers that were not recorded matter is the user's to say: such a run may be either.
    """
    truth = case.truth
    reasons = {
        "it ended otherwise": truth.ends != "recording",
        "a link touches something": truth.touches,
        "the object slips": truth.lost is not None,
        "the object drops": truth.dropped is not None,
        "the hand holds what the scene has not": truth.grip == "",
        "the robot has no shapes": SHAPES in case.without,
        "the robot has no masses": MASSES in case.without,
    }
    return next((text for text, is_so in reasons.items() if is_so), "")


def _is_untrue(case: Case, row: Row) -> bool:
    """Whether a claim that is said to hold is not so."""
    truth, about = case.truth, _about(row)
    match row["claim"]:
        case "touch":
            return any(about & links.keys() for links in truth.touches.values())
        case "drop":
            return truth.dropped is not None and bool(about & {BOX, HAND})
        case "time":
            return truth.ends == "early"
        case _:
            return False


def _about(row: Row) -> set[str]:
    return {str(row.get("subject")), *map(str, row.get("of") or ())}


# ---------------------------------------------------------------------- false not so


def _false_not_so(case: Case, summary: Row, said: str) -> Iterator[str]:
    if case.truth.holds_at_end:
        yield from _denied_in_state(case, summary.get("state") or {})
        if re.search(rf"\b{HAND} (holds nothing|does not hold)", said):
            yield f"says that {HAND} holds nothing"
    if case.truth.grip is not None:
        yield from (
            f"grip of {row['subject']} does not hold"
            for row in _coverage(summary)
            if row["claim"] == "grip" and row.get("holds") is False and case.truth.lost is None
        )
    if case.truth.touches and re.search(r"touched (no|nothing)", said):
        yield "says that nothing was touched"
    if case.truth.lost is not None:
        yield from (f"says {name} of what slipped" for name in _release(case, summary))


def _denied_in_state(case: Case, state: Row) -> Iterator[str]:
    denials = {_HOLDING}
    if case.truth.grip == BOX:
        denials |= _HELD
        marks, until = case.motion.marks, case.truth.until
        if marks["lifted"] + 2 * SURE_S < until < marks.get("landed", until + 1.0) - NEAR_S:
            denials.add(_CARRIED)
    yield from (f"{name} is false" for name in sorted(denials) if state.get(name) is False)


def _release(case: Case, summary: Row) -> Iterator[str]:
    """What is said of an object that was lost as if it had been let go."""
    at = case.truth.lost or 0.0
    for name in ("released", "put_down"):
        for event in _events(summary, name):
            if event.get("object") == BOX and at - NEAR_S < event["at"] < at + FALL_S:
                yield name


# ---------------------------------------------------------------------- what was seen


def _unseen(case: Case, summary: Row) -> Iterator[str]:
    """Claims that were not checked although nothing was taken away."""
    if case.truth.ends != "recording":
        return
    rows = _coverage(summary)
    claims = ["touch", "effort", "time", *(["grip"] if KINDS[case.robot].fingers else [])]
    there = {row["claim"] for row in rows}
    yield from (c for c in claims if c not in there and not _LACKS[c] & case.without)
    for row in rows:
        if row.get("checked") is False and _could_be(case, row):
            yield f"{row['claim']} of {row['subject']}: {row.get('why')}"


def _could_be(case: Case, row: Row) -> bool:
    """Whether a claim's input is there."""
    claim = row["claim"]
    if claim not in _LACKS or _LACKS[claim] & case.without:
        return False
    if claim == "grip" and case.truth.grip == "":  # what it holds is what the scene lacks
        return False
    if claim == "touch":
        links = _about(row) - {case.robot}
        return not links or bool(links & lab(case.robot).shaped)
    if claim in ("support", "drop"):
        return BOX in case.scene and BOX in _about(row)
    return True


def _overseen(case: Case, summary: Row) -> Iterator[str]:
    """Claims that were checked without what that takes, or beyond the end of the input."""
    for row in _coverage(summary):
        if not row.get("checked"):
            continue
        name = f"{row['claim']} of {row['subject']}"
        if _BLIND.get(row["claim"], set()) & case.without:
            yield f"{name} without {', '.join(sorted(case.without))}"
        elif _is_beyond(case, row):
            yield f"{name} beyond {case.truth.until:.2f} s"


def _is_beyond(case: Case, row: Row) -> bool:
    """Whether a claim was checked after its input had ended; that of the hand may go on when the arm's has ended."""
    if case.how == SILENT and row["claim"] not in ("touch", "effort"):
        return False
    return any(end > case.truth.until + NEAR_S for _, end in row.get("spans") or ())


# ---------------------------------------------------------------------- what is named


def _named(case: Case, summary: Row) -> dict[str, bool]:
    """Of what is planted and could be seen, whether it is named."""
    truth, found = case.truth, {}
    if SHAPES in case.without or FINGERS in case.without:
        return {}
    for thing, links in truth.touches.items():
        found["touch"] = _touch_named(summary, thing, links)
    if truth.lost is not None:
        found["slip"] = _at(_events(summary, "lost"), truth.lost - NEAR_S, truth.lost + SURE_S)
    if truth.dropped is not None:
        both = (*_events(summary, "dropped"), *_concerns(summary, "dropped"))
        found["drop"] = _at(both, truth.dropped - NEAR_S, truth.dropped + FALL_S)
    return found


def _touch_named(summary: Row, thing: str, links: Mapping[str, float]) -> bool:
    events = [(e.get("link"), e.get("object"), e["at"]) for e in _events(summary, "touched")]
    concerns = [
        (c.get("link"), c.get("partner", c.get("object")), c["at"])
        for c in _concerns(summary, "link_touches")
    ]
    first, last = min(links.values()) - NEAR_S, max(links.values()) + NEAR_S
    return any(
        link in links and what == thing and first <= at <= last
        for link, what, at in (*events, *concerns)
    )


def _at(rows: Sequence[Row] | Iterator[Row], begin: float, end: float) -> bool:
    return any(row.get("object") == BOX and begin <= row["at"] <= end for row in rows)


def _alarms(case: Case, summary: Row) -> Iterator[str]:
    """What a clean run is blamed for."""
    for concern in summary.get("concerns", ()):
        if concern["severity"] != "note":
            yield str(concern["text"])
    for name in ("lost", "dropped"):
        yield from (f"{name}: {event.get('object')}" for event in _events(summary, name))
    for event in _events(summary, "touched"):
        if not _is_meant(case, event):
            yield f"{event.get('link')} touched {event.get('object')}"
    for row in _coverage(summary):
        if row.get("holds") is False:
            yield f"{row['claim']} of {row['subject']} does not hold"


def _is_meant(case: Case, touch: Row) -> bool:
    """Whether a hand touches itself, or what it grips."""
    hand = KINDS[case.robot].hand_links
    what = touch.get("object")
    return touch.get("link") in hand and (what in hand or (what == BOX and case.truth.grip == BOX))
