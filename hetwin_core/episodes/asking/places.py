"""Where entities are, and whether that is near a place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.rotations import angles_between
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.asking.entities import Entities
from hetwin_core.episodes.asking.evidence import Evidence, of_state
from hetwin_core.episodes.asking.intervals import Intervals
from hetwin_core.episodes.asking.reading import Binding, Reading, entity_of
from hetwin_core.episodes.asking.terms import Atom, Place, Variable
from hetwin_core.episodes.asking.times import whole
from hetwin_core.episodes.asking.truths import UNKNOWN, Truths
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Tables

FULL = 7
"""Numbers of a place with an orientation."""


def off(poses: Floats, place: Place, near: Floats) -> tuple[Floats, Floats]:
    """Return how far poses are from a place.

    Args:
        poses: (n, 7) or more, x y z [m] and qw qx qy qz.
        place: with its limits.
        near: (2,), (3,) or (7,), or one for each pose, (n, 3).

    Returns:
        (n,) distances [m] and (n,) angles [rad]; angles are 0 if the place has no orientation.
    """
    size = min(near.shape[-1], 3)
    distance = np.linalg.norm(poses[:, :size] - near[..., :size], axis=1)
    if near.shape[-1] < FULL or isinstance(place.near, str):
        return distance, np.zeros_like(distance)
    return distance, angles_between(poses[:, 3:7], near[..., 3:7])


def is_near(distance: Floats, angle: Floats, place: Place) -> NDArray[np.bool_]:
    """Return (n,) whether each is within the limits of a place."""
    return np.asarray((distance <= place.within) & (angle <= place.turned), np.bool_)


class WorldPlaces:
    """Reads the fluent ``loc`` in the world.

    Args:
        tables: of the episode.
        entities: of the episode.
    """

    def __init__(self, tables: Tables, entities: Entities) -> None:
        self._tables = tables
        self._entities = entities

    def read(self, atom: Atom, binding: Binding, span: Interval) -> Reading:
        """Return when an entity is at a place, as far as an interval goes; without a place it is always somewhere."""
        named = entity_of(atom.arguments[0], binding)
        if named is None:
            return Reading(UNKNOWN, ())
        entity, known = self._entities.placed(named), whole(self._tables)
        if atom.place is None:
            return Reading(Truths.known(Intervals([known]), known), ())
        span = Interval(max(span.from_ns, known.from_ns), min(span.to_ns, known.to_ns))
        if span.from_ns >= span.to_ns:
            return Reading(UNKNOWN, ())
        times, poses = self._poses(entity, span)
        distance, angle = off(poses, atom.place, self._near(atom.place, span))
        near = is_near(distance, angle, atom.place)
        true = Intervals.where(times, near, span.to_ns).within(span)
        return Reading(Truths.known(true, span), self._evidence(times, distance, near))

    def bindings(self, atom: Atom) -> list[Binding]:
        """Return each object for a variable."""
        (argument, *_) = atom.arguments
        if not isinstance(argument, Variable):
            return [{}]
        names = [entity.name for entity in self._tables.layout.of_kind(EntityKind.OBJECT)]
        return [{argument.name: name} for name in names]

    def _poses(self, entity: str, span: Interval) -> tuple[NDArray[np.int64], Floats]:
        if span.to_ns - span.from_ns <= 1:
            time_ns, pose = self._tables.poses.at(entity, span.from_ns)
            return np.array([time_ns], np.int64), pose[np.newaxis]
        times, poses = self._tables.poses.during(entity, span)
        return np.asarray(times, np.int64), poses

    def _near(self, place: Place, span: Interval) -> Floats:
        if isinstance(place.near, str):
            return self._poses(self._entities.placed(place.near), span)[1][:, :3]
        return np.array(place.near, np.float64)

    def _evidence(
        self, times: NDArray[np.int64], distance: Floats, near: NDArray[np.bool_]
    ) -> tuple[Evidence, ...]:
        """Return the states where it begins, changes, and is farthest."""
        changes = np.flatnonzero(np.diff(near)) + 1
        chosen = sorted({0, int(np.argmax(distance)), len(times) - 1, *changes.tolist()})
        return tuple(
            of_state(
                self._tables.poses.row(int(times[i])),
                int(times[i]),
                distance=round(float(distance[i]), 6),
            )
            for i in chosen
        )
