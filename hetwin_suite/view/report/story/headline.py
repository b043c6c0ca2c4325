"""The headline of a run: its outcome, otherwise its verdict, otherwise how it ended."""

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
    Goal,
    intended_places,
    is_handling,
    stored_concerns,
)
from hetwin_suite.view.report.story.robots import travel

_RELATIONS = {
    "connected": CONNECTED,
    "in_container": IN,
    "held": "held by",
    "on": ON,
}
"""Attribute with the place of an object -> relation to it; most informative first."""
_TAKEN = ("grasped", "picked_up", "connected")
_LET_GO = ("released", "lost", "dropped")
_COMMON = {"reach", "grasp", "move hand", "lift", "move", "lower", "release", "retreat", "bind"}
"""Operations of any handling; named only if there are no others."""
_FELL_M = 0.03
"""Minimum height by which a dropped object falls [m]."""
_MAX_NAMED = 3


class Outcome(NamedTuple):
    """The outcome for one object.

    Attributes:
        achieved: whether it is at its intended place; None if it has none.
        dropped: whether it fell after its release, and is not at its intended place.
        text: a sentence.
        decided: its last handling, with time and responsible model; empty without one.
    """

    achieved: bool | None
    dropped: bool
    text: str
    decided: tuple[Piece, ...] = ()


def outcomes(episode: Episode) -> list[Outcome]:
    """Return the outcome of each object that was handled or has an intended place; failed ones first."""
    goals = intended_places(episode)
    handled: dict[str, list[Event]] = {thing: [] for thing in goals}
    for event in episode.events:
        if is_handling(event):
            handled.setdefault(subject(event) or "", []).append(event)
    objects = {entity.name for entity in episode.layout.of_kind(EntityKind.OBJECT)}
    found = [
        _outcome(episode, thing, events, goals.get(thing))
        for thing, events in handled.items()
        if thing in objects and _relations(episode, thing)
    ]
    return sorted(found, key=lambda outcome: (outcome.achieved is not False, not outcome.dropped))


def actions_sentence(episode: Episode) -> str:
    """Return a sentence about the objects of actions, the operations, and the objects' motion; empty without any."""
    operations: dict[str, dict[str, None]] = {}
    for action in episode.annotations:
        thing = action.arguments.get("object")
        if isinstance(thing, str) and episode.layout.has(thing, "pose"):
            operations.setdefault(thing, {})[action.operation.replace("_", " ")] = None
    if not operations:
        return ""
    names, done = list(operations), dict.fromkeys(op for ops in operations.values() for op in ops)
    others = len(names) - _MAX_NAMED
    which = [*names[:_MAX_NAMED], *([f"{others} more"] if others > 0 else [])]
    done = dict.fromkeys(operation for those in operations.values() for operation in those)
    done = {name: None for name in done if name not in _COMMON} or done
    distance = length(max(travel(episode, name) for name in names))
    moved = f"it moved by {distance}" if len(names) == 1 else f"they moved by up to {distance}"
    texts = {"operations": ", ".join(done), "moved": moved}
    return say("outcome.acted_on", things=listed(which), **texts)


def _outcome(episode: Episode, thing: str, events: Sequence[Event], goal: Goal | None) -> Outcome:
    how, place = _final_place(episode, thing)
    achieved = None if goal is None else _is_reached(episode, goal, how, place)
    dropped = achieved is not True and how != "held by" and _fell(episode, thing, events)
    verb = "is" if how in ("held by", CONNECTED) else "lies"
    at = f"{verb} {how} {with_article(place)}" if place else "lies on nothing that is known"
    missed = "" if goal is None or achieved else _missed_place(goal, place)
    subject_text = _capitalized(with_article(thing))
    if dropped:
        name = "dropped"
    elif achieved:
        name = "is_there"
    else:
        never_taken = missed and not any(event.name in _TAKEN for event in events)
        name = "never_taken" if never_taken else "is_at"
    text = say(f"outcome.{name}", thing=subject_text, place=at, missed=missed)
    return Outcome(achieved, dropped, text, _decisive_handling(episode, thing, events))


def _missed_place(goal: Goal, place: str) -> str:
    """Return the words about the missed place, e.g. ``not in the box``."""
    return f"not {goal.how} {'it' if place == goal.place else with_article(goal.place)}"


def _decisive_handling(episode: Episode, thing: str, events: Sequence[Event]) -> tuple[Piece, ...]:
    """Return pieces about the last handling of an object, and the model that owned its pose at that time."""
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


def _final_place(episode: Episode, thing: str) -> tuple[str, str]:
    """Return the relation of an object to its final place, and the place; both empty if it is at none."""
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


def _is_reached(episode: Episode, goal: Goal, how: str, place: str) -> bool:
    """Whether an object is at its intended place; where a model observes connection or containment, that decides."""
    if goal.how == CONNECTED and episode.layout.has(goal.thing, "connected"):
        return _partner(episode, goal.thing, "connected") == goal.place
    if goal.how == IN and episode.layout.has(goal.thing, "in_container"):
        return _partner(episode, goal.thing, "in_container") == goal.place
    return how != "held by" and place == goal.place


def _fell(episode: Episode, thing: str, events: Sequence[Event]) -> bool:
    """Whether an object was released without support and is lower at the end."""
    if not events or events[-1].name not in _LET_GO or not episode.layout.has(thing, "pose"):
        return False
    if events[-1].arguments.get("support"):
        return False
    if isinstance(height := events[-1].arguments.get("height"), float):
        return height > _FELL_M
    heights = episode.pose(thing)[:, 2]
    return bool(heights[episode.index_at(events[-1].time_ns)] - heights[-1] > _FELL_M)


def with_article(thing: str) -> str:
    """Return the name of an entity for a sentence, with an article if the name is an ordinary word."""
    return f"the {thing}" if thing.isalpha() and thing.islower() else thing


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:] if text.startswith("the ") else text


GOOD, WARNED, BAD = TONES = ("good", "warned", "bad")
"""Tones, from best to worst."""
_VERDICTS = {"fine": GOOD, "unchecked": WARNED, "doubtful": WARNED, "absurd": BAD}
_UPSETS = {
    *("knocked_over", "spilled", "unstable_support", "grasp_lost", "dropped", "goal_undone"),
    *("unachieved", "wrong_object", "carrying_collision", "failed_navigation"),
}
"""Kinds of flaws in the world, as opposed to wrong beliefs."""
_MAX_SHOWN = 2
_ENDINGS = {
    "recording": (GOOD, "recording_over"),
    "live": (GOOD, "live_over"),
    "stopped": (WARNED, "stopped"),
    "failed": (BAD, "no_reason"),
}


class Mark(NamedTuple):
    """A word above the headline, and its tone."""

    tone: str
    word: str


class Headline(NamedTuple):
    """The headline.

    Attributes:
        tone: ``good``, ``warned`` or ``bad``.
        marks: words above it, e.g. ``doubtful``.
        text: one or two sentences.
        more: sentences below it: when the outcome was decided, flaws, and how the run ended.
    """

    tone: str
    marks: tuple[Mark, ...]
    text: str
    more: tuple[tuple[Piece, ...], ...] = ()


def headline(episode: Episode, flaws: Sequence[Flaw] = ()) -> Headline:
    """Return the headline of a run: its outcome and reasons to doubt it; for a failed run, the failure.

    Args:
        episode: the run.
        flaws: flaws of the run.
    """
    tone, ended = ending(episode)
    if tone == BAD:
        return Headline(BAD, (Mark(BAD, "failed" if episode.summary else "broke off"),), ended)
    judged = _verdict(episode)
    parts = [part for part in (_goals_headline(episode), _flaws_headline(flaws), judged) if part]
    if not parts:
        return Headline(tone, (), ended)
    first, *others = parts
    worse = [part for part in others if part.tone != GOOD]
    upsets = [(part.text,) for part in worse if part is not judged]  # concerns have their own list
    return Headline(
        max([tone, *(part.tone for part in parts)], key=TONES.index),
        tuple(mark for part in (first, *worse) for mark in part.marks),
        first.text,
        (*first.more, *upsets, (ended,)),
    )


def _goals_headline(episode: Episode) -> Headline | None:
    """Return the headline about achieved and missed goals of the robot; None if unknown."""
    failed = _failed_tasks(episode)
    found = outcomes(episode)
    missed = [outcome for outcome in found if outcome.achieved is False]
    if failed or missed:
        texts = [
            *(outcome.text for outcome in missed[:_MAX_SHOWN]),
            *failed[: 1 if missed else _MAX_SHOWN],
        ]
        others = len(missed) - _MAX_SHOWN
        texts += [say("outcome.more_missed", count=others)] if others > 0 else []
        more = tuple(outcome.decided for outcome in missed[:_MAX_SHOWN] if outcome.decided)
        return Headline(BAD, (Mark(BAD, "not achieved"),), " ".join(texts), more)
    if not found:
        acted = actions_sentence(episode)
        return Headline(GOOD, (), acted) if acted else None
    dropped = any(outcome.dropped for outcome in found)
    achieved = all(outcome.achieved for outcome in found)
    tone = WARNED if dropped else GOOD
    marks = (Mark(WARNED, "dropped"),) if dropped else (Mark(GOOD, "achieved"),) if achieved else ()
    return Headline(
        tone,
        marks,
        _success_text(found),
        tuple(outcome.decided for outcome in found[:1] if outcome.decided),
    )


def _success_text(found: Sequence[Outcome]) -> str:
    if len(found) <= _MAX_SHOWN:
        return " ".join(outcome.text for outcome in found)
    if all(outcome.achieved for outcome in found):
        return say("outcome.all_there", count=len(found))
    return f"{found[0].text} {say('outcome.more_handled', count=len(found) - 1)}"


def _failed_tasks(episode: Episode) -> list[str]:
    """Return sentences about failed top-level tasks."""
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


def _flaws_headline(flaws: Sequence[Flaw]) -> Headline | None:
    """Return the headline about flaws in the world; None without any."""
    found = [flaw for flaw in flaws if flaw.kind in _UPSETS]
    if not found:
        return None
    text = say("verdict.flawed", flaw=found[0].text, others=len(flaws) - 1)
    return Headline(WARNED, (Mark(WARNED, "with flaws"),), text)


def _verdict(episode: Episode) -> Headline | None:
    """Return the headline about the verdict; None if the run was not watched."""
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
    """Return the tone of the run's end, and a sentence about it."""
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
