"""One sentence for each thing to which something happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.sentences.catalogue import Piece, listed, pieces
from hetwin_core.ensemble.words import happening, subject
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.report.story.events import is_handling, own_events, thing_of
from hetwin_suite.view.report.story.sentence import Sentence

_MOST = 8
_MOVED_M = 5e-3


def thing_sentences(episode: Episode) -> list[Sentence]:
    """What happened to each thing, in the order of the first event; then what moved without one, farthest first."""
    handled, own = _by_thing(episode)
    sentences = [
        _sentence(thing, handled.get(thing, []), own.get(thing, []))
        for thing in dict.fromkeys([*handled, *own])
    ]
    said = {sentence.about for sentence in sentences}
    objects = [entity.name for entity in episode.layout.of_kind(EntityKind.OBJECT)]
    moved = [(travel(episode, name), name) for name in objects if name not in said]
    return sentences + [
        _moved(episode, name) for far, name in sorted(moved, reverse=True) if far > _MOVED_M
    ]


def resting_objects(episode: Episode) -> list[str]:
    """Names of the objects that did not move."""
    objects = episode.layout.of_kind(EntityKind.OBJECT)
    return [entity.name for entity in objects if travel(episode, entity.name) <= _MOVED_M]


def travel(episode: Episode, entity: str) -> float:
    """The diagonal of the box that an entity's origin stayed in, in m; 0 without a pose."""
    if not episode.layout.has(entity, "pose"):
        return 0.0
    positions = episode.pose(entity)[:, :3]
    positions = positions[np.isfinite(positions).all(axis=1)]
    return float(np.linalg.norm(np.ptp(positions, axis=0))) if len(positions) else 0.0


def _by_thing(episode: Episode) -> tuple[dict[str, list[Event]], dict[str, list[Event]]]:
    handled: dict[str, list[Event]] = {}
    own: dict[str, list[Event]] = {}
    for event in episode.events:
        if is_handling(event):
            handled.setdefault(subject(event) or "", []).append(event)
    for event in own_events(episode):
        thing = thing_of(episode, event)
        if thing is not None:
            own.setdefault(thing, []).append(event)
    return handled, own


def _sentence(thing: str, handled: Sequence[Event], own: Iterable[Event]) -> Sentence:
    told: list[Piece] = []
    if handled:
        parts = [(f"{happening(e)} at ", e.time_ns) for e in handled[:_MOST]]
        told += pieces("thing.handled", happened=listed(parts), more=len(handled) - len(parts))
    observed = _observed(own)
    if observed:
        told += ["; " if handled else ": ", *listed(observed[:_MOST])]
    return Sentence(thing, (*told, "."))


def _observed(events: Iterable[Event]) -> list[tuple[Piece, ...]]:
    """Events in words; those with the same words become one with their number."""
    times: dict[str, list[int]] = {}
    for event in events:
        times.setdefault(happening(event), []).append(event.time_ns)
    return [
        pieces("thing.observed", happened=words, at=found[0])
        if len(found) == 1
        else pieces("thing.times", happened=words, count=len(found), first=found[0], last=found[-1])
        for words, found in times.items()
    ]


def _moved(episode: Episode, entity: str) -> Sentence:
    positions = episode.pose(entity)[:, :3]
    away = np.linalg.norm(positions - positions[0], axis=1)
    back = np.linalg.norm(positions - positions[-1], axis=1)
    begun = int(np.argmax(away > _MOVED_M))
    ended = len(back) - 1 - int(np.argmax(back[::-1] > _MOVED_M))
    far = float(away[-1])
    name = "thing.moved_by" if far > _MOVED_M else "thing.came_back"
    begin = int(episode.times[begun]) if ended > begun else None
    return Sentence(
        entity, pieces(name, far=far, begin=begin, end=int(episode.times[max(begun, ended)]))
    )
