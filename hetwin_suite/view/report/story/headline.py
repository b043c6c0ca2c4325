"""The headline of a run: its outcome, else its verdict, or how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.concern_words import coverage_words
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.sentences.catalogue import Piece, length, listed, pieces, say
from hetwin_core.ensemble.tasks import Status
from hetwin_core.ensemble.words import failure_row_words, happening, subject
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.flaws.flaw import Flaw
from hetwin_suite.view.report.story.events import (
    CONNECTED,
    IN,
    ON,
    Meant,
    is_handling,
    meant_places,
    stored_concerns,
)
from hetwin_suite.view.report.story.robots import travel

_RELATIONS = {
    "connected": CONNECTED,
    "in_container": IN,
    "held": "held by",
    "on": ON,
}
"""Attributes of where a thing is, the most informative first."""
_TAKEN = ("grasped", "picked_up", "connected")
_LET_GO = ("released", "lost", "dropped")
_COMMON = {"reach", "grasp", "move hand", "lift", "move", "lower", "release", "retreat", "bind"}
"""Operations of every handling, which are less informative than its others."""
_FELL_M = 0.03
_MOST_NAMED = 3


class Outcome(NamedTuple):
    """How it ended for one thing.

    Attributes:
        achieved: whether it is where it was meant to be; None if unknown.
        dropped: whether it fell after it was let go, and is not where it was meant to be.
        text: a sentence.
        decided: its last handling, with time and reporting model; empty without one.
    """

    achieved: bool | None
    dropped: bool
    text: str
    decided: tuple[Piece, ...] = ()


def outcomes(episode: Episode) -> list[Outcome]:
    """Return the outcome of each thing that was handled or meant to be, those that failed first."""
    meant = meant_places(episode)
    handled: dict[str, list[Event]] = {thing: [] for thing in meant}
    for event in episode.events:
        if is_handling(event):
            handled.setdefault(subject(event) or "", []).append(event)
    objects = {entity.name for entity in episode.layout.of_kind(EntityKind.OBJECT)}
    found = [
        _outcome(episode, thing, events, meant.get(thing))
        for thing, events in handled.items()
        if thing in objects and _relations(episode, thing)
    ]
    return sorted(found, key=lambda one: (one.achieved is not False, not one.dropped))


def acted_on(episode: Episode) -> str:
    """A sentence about the things that actions name, how many they are and how far they went; empty for none."""
    operations: dict[str, dict[str, None]] = {}
    for action in episode.annotations:
        thing = action.arguments.get("object")
        if isinstance(thing, str) and episode.layout.has(thing, "pose"):
            operations.setdefault(thing, {})[action.operation.replace("_", " ")] = None
    if not operations:
        return ""
    names, done = list(operations), dict.fromkeys(op for ops in operations.values() for op in ops)
    others = len(names) - _MOST_NAMED
    which = [*names[:_MOST_NAMED], *([f"{others} more"] if others > 0 else [])]
    done = dict.fromkeys(operation for those in operations.values() for operation in those)
    done = {name: None for name in done if name not in _COMMON} or done
    far = length(max(travel(episode, name) for name in names))
    moved = f"it moved by {far}" if len(names) == 1 else f"they moved by up to {far}"
    told = {"operations": ", ".join(done), "moved": moved}
    return say("outcome.acted_on", things=listed(which), **told)


def _outcome(episode: Episode, thing: str, events: Sequence[Event], meant: Meant | None) -> Outcome:
    how, place = _where(episode, thing)
    achieved = None if meant is None else _met(episode, meant, how, place)
    dropped = achieved is not True and how != "held by" and _fell(episode, thing, events)
    is_at = "is" if how in ("held by", CONNECTED) else "lies"
    at = f"{is_at} {how} {named(place)}" if place else "lies on nothing that is known"
    missed = "" if meant is None or achieved else _missed(meant, place)
    who = _capital(named(thing))
    if dropped:
        name = "dropped"
    elif achieved:
        name = "is_there"
    else:
        never_taken = missed and not any(event.name in _TAKEN for event in events)
        name = "never_taken" if never_taken else "is_at"
    text = say(f"outcome.{name}", thing=who, place=at, missed=missed)
    return Outcome(achieved, dropped, text, _decided(episode, thing, events))


def _missed(meant: Meant, place: str) -> str:
    """Where a thing is not."""
    return f"not {meant.how} {'it' if place == meant.place else named(meant.place)}"


def _decided(episode: Episode, thing: str, events: Sequence[Event]) -> tuple[Piece, ...]:
    """The last thing done to it, and who was responsible for its pose then."""
    if not events:
        return ()
    last = events[-1]
    spans = episode.responsibilities.get((thing, "pose"), ())
    now = next((i for i, s in enumerate(spans) if s.from_ns <= last.time_ns < s.to_ns), None)
    known: dict[str, Piece] = {} if now is None else {"model": spans[now].model}
    if now:
        known |= {"since": spans[now].from_ns, "before": spans[now - 1].model}
    return pieces("outcome.decided", happened=happening(last), time=last.time_ns, **known)


def _relations(episode: Episode, thing: str) -> list[str]:
    return [name for name in _RELATIONS if episode.layout.has(thing, name)]


def _where(episode: Episode, thing: str) -> tuple[str, str]:
    """How a thing is at a place at the end, and the place; empty if it is at none."""
    for name in _relations(episode, thing):
        place = _partner(episode, thing, name)
        if place:
            return _RELATIONS[name], place
    return "", ""


def _partner(episode: Episode, thing: str, name: str) -> str:
    value = float(episode.attribute(thing, name)[-1, 0])
    index = int(value) if np.isfinite(value) else -1
    entities = episode.layout.entities
    return entities[index].name if 0 <= index < len(entities) else ""


def _met(episode: Episode, meant: Meant, how: str, place: str) -> bool:
    """Whether a thing is at its place; on one that it is to be connected to is not enough if that can be known."""
    if meant.how == CONNECTED and episode.layout.has(meant.thing, "connected"):
        return _partner(episode, meant.thing, "connected") == meant.place
    if meant.how == IN and episode.layout.has(meant.thing, "in_container"):
        return _partner(episode, meant.thing, "in_container") == meant.place
    return how != "held by" and place == meant.place


def _fell(episode: Episode, thing: str, events: Sequence[Event]) -> bool:
    """Whether it was let go over nothing, and is lower now."""
    if not events or events[-1].name not in _LET_GO or not episode.layout.has(thing, "pose"):
        return False
    if events[-1].arguments.get("support"):
        return False
    if isinstance(height := events[-1].arguments.get("height"), float):
        return height > _FELL_M
    heights = episode.pose(thing)[:, 2]
    return bool(heights[episode.index_at(events[-1].time_ns)] - heights[-1] > _FELL_M)


def named(thing: str) -> str:
    """A thing as a sentence names it: with an article if its name is a word."""
    return f"the {thing}" if thing.isalpha() and thing.islower() else thing


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text.startswith("the ") else text


GOOD, WARNED, BAD = TONES = ("good", "warned", "bad")
"""From the best to the worst."""
_VERDICTS = {"fine": GOOD, "unchecked": WARNED, "doubtful": WARNED, "absurd": BAD}
_UPSETS = {
    *("knocked_over", "spilled", "unstable_support", "grasp_lost", "dropped", "goal_undone"),
    *("unachieved", "wrong_object", "carrying_collision", "failed_navigation"),
}
"""Kinds of flaws of things, not of beliefs about them."""
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
    """The headline.

    Attributes:
        tone: ``good``, ``warned`` or ``bad``.
        marks: words for it, e.g. ``doubtful``.
        text: a sentence or two.
        more: sentences below it: time of the decision, concerns, and the end.
    """

    tone: str
    marks: tuple[Mark, ...]
    text: str
    more: tuple[tuple[Piece, ...], ...] = ()


def headline(episode: Episode, flaws: Sequence[Flaw] = ()) -> Headline:
    """The outcome of the run, and the reason to doubt it; of a failed run, the failure.

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
    """Achieved and missed goals of the robot; None if unknown."""
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
    """Flaws of things, beside the outcome; None without any."""
    found = [flaw for flaw in flaws if flaw.kind in _UPSETS]
    if not found:
        return None
    text = say("verdict.flawed", flaw=found[0].text, others=len(flaws) - 1)
    return Headline(WARNED, (Mark(WARNED, "with flaws"),), text)


def _verdict(episode: Episode) -> Headline | None:
    """The watcher's verdict on the run; None if it was not watched."""
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
