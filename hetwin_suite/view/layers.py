"""Computes the layers of a film from a run's tables: contacts, covariances, and believed poses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import mat2quat, quat2mat

from hetwin_core.ensemble.beliefs import LOC
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.tables.rows import Belief
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.film.film import Film, Layer, Scene
from hetwin_suite.view.film.from_episode import film_of

_MAX_NUMBERS = 400_000
"""Number of values in a layer above which only every second, third ... time is kept."""
_NO_BODY = -1.0
_ENTITIES = ("entity", "other")


def layers_of(tables: Tables, scene: Scene) -> tuple[Layer, ...]:
    """Return the layers of a run that are not empty: contacts, covariances, and believed poses.

    Args:
        tables: tables of the run.
        scene: scene of its film, whose body indices the layers use.
    """
    objects = estimated_objects(tables.layout)
    touching, ellipsoids = [], []
    for time, snapshot in snapshots(tables):
        touching.append((time, contacts(snapshot)))
        if objects:
            ellipsoids.append((time, covariances(snapshot, objects)))
    found = [
        ("contacts", CONTACT_COLUMNS, touching),
        ("covariances", COVARIANCE_COLUMNS, ellipsoids),
        ("believed", BELIEVED_COLUMNS, list(believed(tables))),
    ]
    numbers = _numbers(tables.layout, scene)
    layers = (_layer(name, columns, rows, numbers) for name, columns, rows in found)
    return tuple(layer for layer in layers if not layer.empty)


def _numbers(layout: Layout, scene: Scene) -> Floats:
    """Return (entities + 1,) the body index of each entity; `_NO_BODY` without a body, and as last item."""
    bodies = {body.name: float(number) for number, body in enumerate(scene.bodies)}
    return np.array([*(bodies.get(entity.name, _NO_BODY) for entity in layout.entities), _NO_BODY])


def _layer(
    name: str, columns: tuple[str, ...], moments: list[tuple[float, Floats]], numbers: Floats
) -> Layer:
    """Return a layer with entity indices replaced by body indices; rows of entities without a body are omitted."""
    entity_columns = [columns.index(column) for column in _ENTITIES if column in columns]
    converted = []
    for time, rows in _every_nth(moments):
        rows_by_body = rows.copy()
        rows_by_body[:, entity_columns] = numbers[
            _as_indices(rows_by_body[:, entity_columns], len(numbers))
        ]
        converted.append((time, rows_by_body[rows_by_body[:, entity_columns[0]] != _NO_BODY]))
    return Layer.of(name, columns, converted)


def _as_indices(numbers: Floats, count: int) -> NDArray[np.intp]:
    """Return numbers as indices; a number that is no entity's becomes the last index."""
    valid = (numbers >= 0.0) & (numbers < count)
    return np.where(valid, numbers, count - 1).astype(np.intp)


def _every_nth(moments: list[tuple[float, Floats]]) -> list[tuple[float, Floats]]:
    """Return every n-th moment, so that the layer has about `_MAX_NUMBERS` values at most."""
    size = sum(rows.size for _, rows in moments)
    return moments[:: max(1, -(-size // _MAX_NUMBERS))]


BELIEVED_COLUMNS = ("entity", "x", "y", "z", "qx", "qy", "qz", "qw", "wrong")
_IN_PAGE = [0, 1, 2, 4, 5, 6, 3]
"""Order of a pose's numbers on the page, whose quaternions are x, y, z, w; the log's are w, x, y, z."""
_PERIOD_NS = 50_000_000
"""Minimum interval between two shown states of the beliefs [ns]."""


def believed(tables: Tables) -> Iterator[tuple[float, Floats]]:
    """Yield times [s] and the (n, 9) beliefs from then on: entity, believed pose, and whether the belief is wrong."""
    rows = [row for row in tables.beliefs.find(LOC) if row.pose is not None]
    times = {row.span.from_ns for row in rows} | {row.span.to_ns for row in rows}
    for error in tables.belief_errors:
        if error.fluent == LOC:
            times |= {error.span.from_ns, error.span.to_ns}
    current: dict[str, Belief] = {}
    remaining, last = iter([*rows, None]), -_PERIOD_NS
    upcoming = next(remaining)
    for time_ns in sorted(times):
        while upcoming is not None and upcoming.span.from_ns <= time_ns:
            current[upcoming.a] = upcoming
            upcoming = next(remaining)
        if time_ns - last >= _PERIOD_NS or upcoming is None:
            last = time_ns
            yield time_ns / 1e9, _rows(tables, current, time_ns)


def _rows(tables: Tables, current: dict[str, Belief], time_ns: int) -> Floats:
    wrong = {
        error.a
        for error in tables.belief_errors
        if error.fluent == LOC and error.span.from_ns <= time_ns < error.span.to_ns
    }
    found = [
        [
            float(tables.layout.entity_id(name)),
            *np.asarray(belief.pose)[_IN_PAGE].tolist(),
            float(name in wrong),
        ]
        for name, belief in current.items()
        if belief.span.from_ns <= time_ns < belief.span.to_ns and tables.layout.entity_id(name) >= 0
    ]
    return np.array(found).reshape(-1, len(BELIEVED_COLUMNS))


CONTACT_COLUMNS = ("entity", "other", "x", "y", "z", "fx", "fy", "fz")
_MIN_FORCE = 1e-3
_PAIR, _DISTANCE, _POINT, _FORCE = slice(0, 2), 2, slice(3, 6), slice(9, 12)


def contacts(snapshot: Snapshot) -> Floats:
    """Return (n, 8) contacts: object, other entity, position [m], and force on the object [N]; world frame.

    The log has a row for each of two objects in contact, this table only one. Contacts without force are omitted.
    """
    rows = snapshot.proximity
    force = np.linalg.norm(rows[:, _FORCE], axis=1)
    touching = rows[np.isfinite(rows).all(axis=1) & (force > _MIN_FORCE)]
    seen: set[tuple[int, int]] = set()
    kept = []
    for i, (entity, other) in enumerate(touching[:, _PAIR].astype(int).tolist()):
        if (other, entity) not in seen:
            seen.add((entity, other))
            kept.append(i)
    found: Floats = np.hstack(
        [touching[kept, _PAIR], touching[kept, _POINT], touching[kept, _FORCE]]
    )
    return found


COVARIANCE_COLUMNS = ("entity", "rx", "ry", "rz", "qx", "qy", "qz", "qw")
ATTRIBUTE = "pose_covariance"
"""Name of an attribute with the covariance of an object's position and rotation vector: the upper triangle, row by row,
in the parent frame of the object's pose."""
DEVIATIONS = 2.0
"""Radii of the ellipsoids, in standard deviations."""
_SIZE = 21
_TRIANGLE = np.triu_indices(6)


class EstimatedObject(NamedTuple):
    """An object whose pose may come with a covariance.

    Attributes:
        entity: index of the object in the layout.
        numbers: slice of the covariance in the values.
        slot: slot of its pose.
    """

    entity: int
    numbers: slice
    slot: int


def estimated_objects(layout: Layout) -> list[EstimatedObject]:
    """Return the objects of a scene that may have a covariance."""
    return [
        EstimatedObject(
            layout.entity_id(slot.entity),
            layout.range_of(slot.entity, ATTRIBUTE),
            layout.slot_id(slot.entity, POSE.name),
        )
        for slot in layout.slots
        if slot.attribute.name == ATTRIBUTE
        and slot.attribute.size == _SIZE
        and layout.has(slot.entity, POSE.name)
    ]


def covariances(snapshot: Snapshot, objects: Sequence[EstimatedObject]) -> Floats:
    """Return (n, 8) ellipsoids of objects with a covariance: object, radii [m], world rotation as qx qy qz qw."""
    found = [_ellipsoid(snapshot, estimate) for estimate in objects]
    return np.array([row for row in found if row is not None]).reshape(-1, len(COVARIANCE_COLUMNS))


def _ellipsoid(snapshot: Snapshot, estimate: EstimatedObject) -> list[float] | None:
    triangle = snapshot.values[estimate.numbers]
    if not triangle.any() or not np.isfinite(triangle).all():
        return None
    upper = np.zeros((6, 6))
    upper[_TRIANGLE] = triangle
    lengths, axes = np.linalg.eigh(np.triu(upper)[:3, :3] + np.triu(upper, 1)[:3, :3].T)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    parent = int(snapshot.parents[estimate.slot])
    if parent >= 0:
        name = snapshot.layout.entities[parent].name
        axes = quat2mat(snapshot.get(name, POSE.name)[3:7]) @ axes
    w, x, y, z = mat2quat(axes)
    radii = DEVIATIONS * np.sqrt(np.maximum(lengths, 0.0))
    return [float(estimate.entity), *radii.tolist(), x, y, z, w]


SNAPSHOT_RATE_HZ = 25.0
_MAX_SNAPSHOTS = 2000
"""Number of snapshots above which the rate is reduced."""


def snapshots(tables: Tables, most: int = _MAX_SNAPSHOTS) -> Iterator[tuple[float, Snapshot]]:
    """Yield evenly spaced times [s] with their snapshots, from the first state to the last.

    Args:
        tables: tables of the run.
        most: maximum number of snapshots.
    """
    span_ns = tables.known_until_ns - tables.start_ns
    count = min(int(span_ns / 1e9 * SNAPSHOT_RATE_HZ) + 1, most)
    last = -1
    for time_ns in np.linspace(tables.start_ns, tables.known_until_ns, count).astype(np.int64):
        snapshot = tables.poses.snapshot(int(time_ns))
        if snapshot.time_ns != last:
            last = snapshot.time_ns
            yield last / 1e9, snapshot


def film_with_layers(episode: Episode, also_at: Iterable[int] = ()) -> Film:
    """Return the film of a run, with its layers if its tables can be read.

    Args:
        episode: the run.
        also_at: further times whose states are included [ns].
    """
    film = film_of(episode, also_at)
    try:
        return replace(film, layers=layers_of(episode.tables, film.scene))
    except BadInput:  # a truncated log has states, but no tables
        return film
