"""The moments of a run that are worth a picture."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.words import event_words, subject
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.report.story.concerns import ABSURD, stored_concerns
from hetwin_suite.view.report.story.events import (
    SIGNALS,
    is_handling,
    own_events,
    own_words,
    thing_of,
)

MOST = 8
_AT_LEAST = 4
_SAME_NS = 40_000_000
_CONCERN, _HANDLED, _OWN, _HANDED_OVER = 8.0, 4.0, 2.0, 1.0


class Moment(NamedTuple):
    """A time worth a picture.

    Attributes:
        time_ns: the time.
        what: what happened then.
        weight: how much it says about the run.
        thing: the entity that it is about, if any.
    """

    time_ns: int
    what: tuple[str, ...]
    weight: float = 0.0
    thing: str = ""


def moments(episode: Episode, most: int = MOST) -> list[Moment]:
    """The start, what makes the run doubtful, what was handled, observed and handed over, and the end.

    What is close together is one moment. If there are too many, those that say more go before the others, then
    early ones before late ones; if there are few, some times in between are added.
    """
    room = max(0, most - 2)
    chosen: list[Moment] = []
    for moment in [*_concerns(episode), *_events(episode), *_handovers(episode)]:
        for i, other in enumerate(chosen):
            if abs(other.time_ns - moment.time_ns) <= _SAME_NS:
                chosen[i] = _joined(other, moment)
                break
        else:
            if len(chosen) < room:
                chosen.append(moment)
    start = Moment(episode.start_ns, ("start: the whole scene",))
    end = Moment(episode.end_ns, ("end",), 0.5)
    return _filled(episode, _between(start, chosen, end), min(most, _AT_LEAST))


def _between(start: Moment, chosen: list[Moment], end: Moment) -> list[Moment]:
    """Moments in order from the start to the end, which take the words of what happened just then."""
    first = [moment for moment in chosen if moment.time_ns - start.time_ns <= _SAME_NS]
    last = [moment for moment in chosen if end.time_ns - moment.time_ns <= _SAME_NS]
    between = [moment for moment in chosen if moment not in first and moment not in last]
    for moment in first:
        start = Moment(start.time_ns, moment.what, moment.weight, moment.thing)
    for moment in last if last != first else ():
        end = Moment(end.time_ns, (*moment.what, *end.what), moment.weight, moment.thing)
    return [start, *sorted(between), end]


def _joined(one: Moment, other: Moment) -> Moment:
    """Two moments as one; what was handed over needs no words beside what was seen."""
    if other.weight <= _HANDED_OVER < one.weight:
        return one
    what = tuple(dict.fromkeys((*one.what, *other.what)))
    return Moment(one.time_ns, what, max(one.weight, other.weight), one.thing or other.thing)


def _concerns(episode: Episode) -> list[Moment]:
    """When each begins and, where something flew or fell, when that ended."""
    found = []
    for concern in stored_concerns(episode):
        if not concern.serious:
            continue
        weight = 2 * _CONCERN if concern.severity == ABSURD else _CONCERN
        thing = str(concern.arguments.get("object") or "")
        found.append(Moment(concern.from_ns, (concern.text,), weight, thing))
        if thing and concern.to_ns - concern.from_ns > _SAME_NS:
            found.append(Moment(concern.to_ns, (f"where {thing} went",), 1.0, thing))
    return found


def _events(episode: Episode) -> list[Moment]:
    """What was handled, the last of which is the outcome; then the first of each kind of what models observed."""
    span = max(1, episode.end_ns - episode.start_ns)
    handled = [
        Moment(
            e.time_ns,
            (event_words(e),),
            _HANDLED + (e.time_ns - episode.start_ns) / span,
            subject(e) or "",
        )
        for e in episode.events
        if is_handling(e)
    ]
    own: dict[str, Moment] = {}
    for event in own_events(episode):
        words = own_words(episode, event)
        thing = thing_of(episode, event) or ""
        late = (event.time_ns - episode.start_ns) / span
        weight = _HANDED_OVER if event.name in SIGNALS else _OWN + late
        own.setdefault(words, Moment(event.time_ns, (words,), weight, thing))
    return [*handled, *own.values()]


def _handovers(episode: Episode) -> list[Moment]:
    return [
        Moment(h.time_ns, (_handover_words(h),), _HANDED_OVER, h.entity) for h in episode.handovers
    ]


def _handover_words(handover: Handover) -> str:
    return f"{handover.entity} {handover.attribute}: {handover.from_model} → {handover.to_model}"


def _filled(episode: Episode, found: list[Moment], wanted: int) -> list[Moment]:
    """Halve the longest times without a picture, as long as there are few pictures."""
    while len(found) < wanted:
        gaps = [after.time_ns - before.time_ns for before, after in pairwise(found)]
        longest = max(range(len(gaps)), key=gaps.__getitem__)
        if gaps[longest] < (episode.end_ns - episode.start_ns) // 8 or gaps[longest] < _SAME_NS:
            break
        time_ns = found[longest].time_ns + gaps[longest] // 2
        running = [a.operation for a in episode.annotations if a.begin_ns <= time_ns < a.end_ns]
        words = ", ".join(dict.fromkeys(running)).replace("_", " ") or "in between"
        found.insert(longest + 1, Moment(time_ns, (words,), 0.9))
    return found
