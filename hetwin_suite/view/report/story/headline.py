"""The headline of a run: what came of it, else its verdict, or how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hetwin_core.ensemble.coverage_words import coverage_words
from hetwin_core.ensemble.events import EventKind
from hetwin_core.ensemble.sentences.catalogue import Piece, say
from hetwin_core.ensemble.tasks import Status
from hetwin_core.ensemble.words import failure_row_words
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.flaws.flaw import Flaw
from hetwin_suite.view.report.story.concerns import stored_concerns
from hetwin_suite.view.report.story.outcome import Outcome, acted_on, outcomes

GOOD, WARNED, BAD = TONES = ("good", "warned", "bad")
"""From the best to the worst."""
_VERDICTS = {"fine": GOOD, "unchecked": WARNED, "doubtful": WARNED, "absurd": BAD}
_UPSETS = {
    *("knocked_over", "spilled", "unstable_support", "grasp_lost", "dropped", "goal_undone"),
    *("unachieved", "wrong_object", "carrying_collision", "failed_navigation"),
}
"""Kinds of flaws in which something happened to things, not to what was believed of them."""
_MOST = 2
_ENDINGS = {
    "recording": (GOOD, "recording_over"),
    "live": (GOOD, "live_over"),
    "stopped": (WARNED, "stopped"),
    "failed": (BAD, "no_reason"),
}


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
        texts += [say("outcome.more_missed", count=others)] if others > 0 else []
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
        return say("outcome.all_there", count=len(found))
    return f"{found[0].text} {say('outcome.more_handled', count=len(found) - 1)}"


def _failed_tasks(episode: Episode) -> list[str]:
    """Sentences about tasks that are part of none and failed."""
    last = {
        str(event.arguments.get("id")): event
        for event in episode.events
        if event.kind is EventKind.TASK and not event.arguments.get("parent")
    }
    failed = [e for e in last.values() if e.arguments.get("status") == Status.FAILED]
    return [
        say("outcome.task_failed", task=e.arguments.get("id"), reason=e.arguments.get("reason"))
        for e in failed
    ]


def _flawed(flaws: Sequence[Flaw]) -> Headline | None:
    """What went wrong with things, beside what came of it; None if nothing did."""
    found = [flaw for flaw in flaws if flaw.kind in _UPSETS]
    if not found:
        return None
    text = say("verdict.flawed", flaw=found[0].text, others=len(flaws) - 1)
    return Headline(WARNED, (Mark(WARNED, "with flaws"),), text)


def _verdict(episode: Episode) -> Headline | None:
    """What its watcher says about the run; None if it was not watched."""
    verdict = episode.summary.get("verdict")
    if verdict not in _VERDICTS:
        return None
    tone = _VERDICTS[verdict]
    checked = coverage_words(episode.summary.get("coverage") or ())
    serious = [concern.text for concern in stored_concerns(episode) if concern.serious]
    worst = (*serious, "no reason is known")[0]
    text = say(f"verdict.{verdict}", checked=checked, worst=worst, others=max(0, len(serious) - 1))
    return Headline(tone, (Mark(tone, verdict),), text)


def ending(episode: Episode) -> tuple[str, str]:
    """How the run ended: ``good``, ``warned`` or ``bad``, and a sentence."""
    summary, end = episode.summary, episode.end_ns
    if not summary:
        return BAD, say("ending.broke_off", end=end)
    error = summary.get("error")
    if error:
        return BAD, say("ending.run_failed", failure=failure_row_words(error))
    how = str(summary.get("ended"))
    tone, name = _ENDINGS.get(how, (WARNED, "other"))
    if how == "recording" and episode.is_commanded:
        name = "reached"
    return tone, say(f"ending.{name}", end=end, how=how)
