"""The headline of a run: what came of it, else its verdict, or how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hetwin_core.ensemble.coverage_words import coverage_words
from hetwin_core.ensemble.events import EventKind
from hetwin_core.ensemble.tasks import Status
from hetwin_core.ensemble.words import failure_row_words, seconds
from hetwin_core.projection.episode import Episode
from hetwin_core.projection.flaws.flaw import Flaw
from hetwin_suite.view.report.story.concerns import stored_concerns
from hetwin_suite.view.report.story.outcome import Outcome, acted_on, outcomes
from hetwin_suite.view.report.story.sentence import Piece

GOOD, WARNED, BAD = TONES = ("good", "warned", "bad")
"""From the best to the worst."""
_VERDICTS = {"fine": GOOD, "unchecked": WARNED, "doubtful": WARNED, "absurd": BAD}
_UPSETS = {
    *("knocked_over", "spilled", "unstable_support", "grasp_lost", "dropped", "goal_undone"),
    *("unachieved", "wrong_object", "carrying_collision", "failed_navigation"),
}
"""Kinds of flaws in which something happened to things, not to what was believed of them."""
_MOST = 2


class Mark(NamedTuple):
    """A word over the headline, and its tone."""

    tone: str
    word: str


class Headline(NamedTuple):
    """What to read first.

    Attributes:
        tone: ``good``, ``warned`` or ``bad``.
        marks: words for it, e.g. ``doubtful``.
        text: a sentence or two.
        more: sentences below it: when it was decided, what makes the run doubtful, how it ended.
    """

    tone: str
    marks: tuple[Mark, ...]
    text: str
    more: tuple[tuple[Piece, ...], ...] = ()


def headline(episode: Episode, flaws: Sequence[Flaw] = ()) -> Headline:
    """What came of the run, and what makes that doubtful; of a run that failed, that it did.

    Args:
        episode: the run.
        flaws: that were found in it.
    """
    tone, ended = ending(episode)
    if tone == BAD:
        return Headline(BAD, (Mark(BAD, "failed" if episode.summary else "broke off"),), ended)
    judged = _verdict(episode)
    parts = [part for part in (_came_of_it(episode), _flawed(flaws), judged) if part]
    if not parts:
        return Headline(tone, (), ended)
    first, *others = parts
    worse = [part for part in others if part.tone != GOOD]
    upsets = [(part.text,) for part in worse if part is not judged]  # concerns stand in a list
    return Headline(
        max([tone, *(part.tone for part in parts)], key=TONES.index),
        tuple(mark for part in (first, *worse) for mark in part.marks),
        first.text,
        (*first.more, *upsets, (ended,)),
    )


def _came_of_it(episode: Episode) -> Headline | None:
    """What the robot achieved and what not; None if that cannot be known."""
    failed = _failed_tasks(episode)
    found = outcomes(episode)
    missed = [one for one in found if one.achieved is False]
    if failed or missed:
        texts = [*(one.text for one in missed[:_MOST]), *failed[: 1 if missed else _MOST]]
        others = len(missed) - _MOST
        texts += [f"{others} more things are not where they were to go."] if others > 0 else []
        more = tuple(one.decided for one in missed[:_MOST] if one.decided)
        return Headline(BAD, (Mark(BAD, "not achieved"),), " ".join(texts), more)
    if not found:
        acted = acted_on(episode)
        return Headline(GOOD, (), acted) if acted else None
    dropped = any(one.dropped for one in found)
    achieved = all(one.achieved for one in found)
    tone = WARNED if dropped else GOOD
    marks = (Mark(WARNED, "dropped"),) if dropped else (Mark(GOOD, "achieved"),) if achieved else ()
    return Headline(tone, marks, _all_well(found), tuple(o.decided for o in found[:1] if o.decided))


def _all_well(found: Sequence[Outcome]) -> str:
    if len(found) <= _MOST:
        return " ".join(one.text for one in found)
    if all(one.achieved for one in found):
        return f"All {len(found)} things are where they were to go."
    return f"{found[0].text} {len(found) - 1} more things were handled."


def _failed_tasks(episode: Episode) -> list[str]:
    """Sentences about tasks that are part of none and failed."""
    last = {
        str(event.arguments.get("id")): event
        for event in episode.events
        if event.kind is EventKind.TASK and not event.arguments.get("parent")
    }
    failed = [e for e in last.values() if e.arguments.get("status") == Status.FAILED]
    return [
        f"The task {event.arguments.get('id')} failed: "
        f"{event.arguments.get('reason') or 'the program gives no reason'}."
        for event in failed
    ]


def _flawed(flaws: Sequence[Flaw]) -> Headline | None:
    """What went wrong with things, beside what came of it; None if nothing did."""
    found = [flaw for flaw in flaws if flaw.kind in _UPSETS]
    if not found:
        return None
    others = len(flaws) - 1
    more = f" {others} more {'flaw was' if others == 1 else 'flaws were'} found." if others else ""
    return Headline(WARNED, (Mark(WARNED, "with flaws"),), f"{found[0].text}{more}")


def _verdict(episode: Episode) -> Headline | None:
    """What its watcher says about the run; None if it was not watched."""
    verdict = episode.summary.get("verdict")
    if verdict not in _VERDICTS:
        return None
    tone = _VERDICTS[verdict]
    checked = coverage_words(episode.summary.get("coverage") or ())
    if tone == GOOD:
        text = f"All that can be checked for this robot was, and speaks for this run: {checked}."
        return Headline(GOOD, (Mark(GOOD, verdict),), text)
    if verdict == "unchecked":
        text = f"Nothing speaks against this run, but not all was seen: {checked}."
        return Headline(WARNED, (Mark(WARNED, verdict),), text)
    serious = [concern for concern in stored_concerns(episode) if concern.serious]
    worst = serious[0].text if serious else "no reason is known"
    others = len(serious) - 1
    more = f", and {others} more {'concern' if others == 1 else 'concerns'}" if others > 0 else ""
    return Headline(tone, (Mark(tone, verdict),), f"{verdict.capitalize()}: {worst}{more}.")


def ending(episode: Episode) -> tuple[str, str]:
    """How the run ended: ``good``, ``warned`` or ``bad``, and a sentence."""
    summary = episode.summary
    end = seconds(episode.end_ns)
    if not summary:
        return BAD, f"The run broke off: there is no summary. The log ends at {end}."
    error = summary.get("error")
    if error:
        return BAD, f"The run failed: {failure_row_words(error)}"
    match summary.get("ended"):
        case "recording" if episode.is_commanded:
            return GOOD, f"The run reached its end after {end}."
        case "recording":
            return GOOD, f"The run reached the end of its recording after {end}."
        case "live":
            return GOOD, f"The twin followed the live robot to its end, {end}."
        case "stopped":
            return WARNED, f"The run was stopped after {end}."
        case "failed":
            return BAD, f"The run failed after {end}; no reason is known."
        case other:
            return WARNED, f"The run ended after {end} ({other})."
