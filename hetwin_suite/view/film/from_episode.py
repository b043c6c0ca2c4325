"""Makes the film of a recorded run."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hetwin_core.ensemble.events import ROBOT
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Floats, Ints, Meaning, particles
from hetwin_core.ensemble.words import event_words, is_routine_touch
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.film.film import Change, Cloud, Doing, Film, Happening, Scene
from hetwin_suite.view.film.scene_of import scene_of

MAX_HZ = 30.0
"""Maximum rate of a film's states [Hz]."""

_MIN_HZ = 1.0
_MAX_POSES = 400_000
"""Number of poses (bodies times states) above which the rate of a film is reduced."""

_AT_REST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
_PAGE_ORDER = [0, 1, 2, 4, 5, 6, 3]


def film_of(episode: Episode, also_at: Iterable[int] = ()) -> Film:
    """Return the film of a run: states at a regular rate, and all states at events and handovers.

    Args:
        episode: the run.
        also_at: further times whose states are included [ns].
    """
    scene = scene_of(episode.scenario, episode.layout, episode.models)
    kept = _kept(episode, scene, also_at)
    return Film(
        scene=scene,
        start=episode.start_ns / 1e9,
        end=float(episode.seconds[-1]),
        times=episode.seconds[kept],
        poses=_poses(episode, scene, kept),
        owners=tuple(int(owner) for owner in episode.owners[0]),
        changes=_changes(episode),
        happenings=_happenings(episode),
        doings=_doings(episode),
        clouds=_clouds(episode, scene, kept),
    )


def _kept(episode: Episode, scene: Scene, also_at: Iterable[int]) -> Ints:
    """Return the indices of the states in the film."""
    length = max(float(episode.seconds[-1] - episode.seconds[0]), 1e-9)
    moving = sum(body.kind != EntityKind.STATIC for body in scene.bodies)
    rate = min(MAX_HZ, max(_MIN_HZ, _MAX_POSES / (length * max(1, moving))))
    grid = np.arange(episode.times[0], episode.times[-1] + 1, round(1e9 / rate))
    kept = {0, len(episode.times) - 1}
    kept.update(np.minimum(np.searchsorted(episode.times, grid), len(episode.times) - 1).tolist())
    moments = [event.time_ns for event in episode.events]
    moments += [handover.time_ns for handover in episode.handovers]
    for moment in (*moments, *also_at):
        index = episode.index_at(moment)
        kept.update((max(0, index - 1), index))
    return np.array(sorted(kept), np.int32)


def _poses(episode: Episode, scene: Scene, kept: Ints) -> Floats:
    poses = np.empty((len(kept), len(scene.bodies), 7))
    for i, body in enumerate(scene.bodies):
        if episode.layout.has(body.name, "pose"):
            poses[:, i] = episode.pose(body.name)[kept][:, _PAGE_ORDER]
        else:
            poses[:, i] = _AT_REST
    return poses


def _changes(episode: Episode) -> tuple[Change, ...]:
    numbers = {model.name: i for i, model in enumerate(episode.models)}
    return tuple(
        Change(h.time_ns / 1e9, slot, numbers[h.to_model])
        for h in episode.handovers
        if (slot := episode.layout.find(h.entity, h.attribute)) is not None
        and h.to_model in numbers
    )


def _happenings(episode: Episode) -> tuple[Happening, ...]:
    found = [
        Happening(
            event.time_ns / 1e9,
            event.kind.value,
            event.name,
            event_words(event),
            _entity(event.arguments.get("object")),
        )
        for event in episode.events
        if not is_routine_touch(event)
    ]
    found += [
        Happening(
            h.time_ns / 1e9,
            "handover",
            h.cause,
            f"{h.entity}.{h.attribute}: {h.from_model} to {h.to_model}",
            h.entity,
        )
        for h in episode.handovers
    ]
    return tuple(sorted(found, key=lambda happening: happening.time))


def _entity(named: object) -> str:
    return named if isinstance(named, str) else ""


def _doings(episode: Episode) -> tuple[Doing, ...]:
    """Return the actions; if there are several robots, each has a lane."""
    several = len(episode.layout.of_kind(EntityKind.ROBOT)) > 1
    return tuple(
        Doing(
            done.operation,
            done.begin_ns / 1e9,
            done.end_ns / 1e9,
            ", ".join(f"{name} {value}" for name, value in done.arguments.items()),
            f"actions of {done.arguments[ROBOT]}"
            if several and ROBOT in done.arguments
            else "actions",
        )
        for done in episode.annotations
    )


def _clouds(episode: Episode, scene: Scene, kept: Ints) -> tuple[Cloud, ...]:
    numbers = {body.name: i for i, body in enumerate(scene.bodies)}
    clouds = []
    for slot in episode.layout.slots:
        if slot.attribute.meaning is Meaning.PARTICLES and slot.entity in numbers:
            values = episode.attribute(slot.entity, slot.attribute.name)[kept]
            rows = tuple(particles(row)[:, [0, 1, 2, 6]] for row in values)
            clouds.append(Cloud(numbers[slot.entity], rows))
    return tuple(clouds)
