"""An observer that determines which object is in which container."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Tick,
)
from hetwin_core.ensemble.parameters import Amount, EntityNames, Parameters, parameter
from hetwin_core.ensemble.scene.layout import Entity, Layout
from hetwin_core.ensemble.scene.poses import conjugate, rotate
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Floats, Meaning
from model_nodes.shape_points import points_of

IN_CONTAINER = AttributeSpec("in_container", 1, "", Meaning.ENTITY)


class Settings(Parameters):
    """The parameters of the model."""

    objects: EntityNames = parameter("the objects to watch: a tag, or a list of names", "graspable")
    containers: EntityNames = parameter("the containers: a tag, or a list of names", "container")
    dwell: Amount = parameter("an object must be inside, or outside, for this time", 0.1, "s")


class Containment(Model[Settings]):
    """Reports which container each object is in.

    An object is in a container when its origin is inside the container's outline, projected along the container's
    z axis, below its rim and above its bottom. The outline is the convex hull of the container's shapes; a container
    that is not convex needs another model. Events: ``entered`` and ``left``, with ``object`` and ``container``,
    stamped with the time at which the change was first observed.
    """

    summary = "Observes which object is in which container."
    rate = 50.0
    provides = (IN_CONTAINER,)
    raises: ClassVar[Mapping[str, str]] = {
        "entered": "an object has entered a container and stayed inside: object, container",
        "left": "an object has left a container and stayed outside: object, container",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute each object's attribute ``in_container``.

        Raises:
            BadInput: if there is no object or no container.
        """
        for name in ("objects", "containers"):
            if not getattr(settings, name):
                expected = "entities of the scene, or a tag that the scenario gives to some"
                raise BadInput("there are none", where=name, expected=expected)
        self._dwell_ns = round(settings.dwell * 1e9)
        for name in settings.objects:
            scene.set(name, IN_CONTAINER, -1.0)
        scene.needs(*((name, "pose") for name in (*settings.objects, *settings.containers)))

    def start(self, scene: Snapshot) -> None:
        """Compute the containers' outlines."""
        self._insides = [
            interior_of(scene.layout.entity(name)) for name in self.settings.containers
        ]
        self._ids = [scene.layout.entity_id(name) for name in self.settings.containers]
        self._layout: Layout = scene.layout
        self._now = dict.fromkeys(self.settings.objects, -1)
        self._candidate = dict.fromkeys(self.settings.objects, (-1, scene.time_ns))

    def step(self, tick: Tick) -> Changes:
        """Determine which containers the objects are in."""
        changes = tick.changes()
        for name in self.settings.objects:
            found = self._find(tick.scene, name)
            candidate, since_ns = self._candidate[name]
            if found != candidate:
                candidate, since_ns = self._candidate[name] = (found, tick.scene.time_ns)
            before = self._now[name]
            if candidate != before and tick.scene.time_ns - since_ns >= self._dwell_ns:
                self._now[name] = candidate
                self._report(changes, name, (before, candidate), since_ns)
            changes.set(name, IN_CONTAINER, float(self._now[name]))
        return changes

    def _find(self, scene: Snapshot, name: str) -> int:
        """Return the index of the object's container, -1 for none."""
        point = scene.pose(name)[:3]
        for inside, container, index in zip(
            self._insides, self.settings.containers, self._ids, strict=True
        ):
            if container == name:
                continue
            pose = scene.pose(container)
            local = rotate(conjugate(pose[3:7].tolist()), (point - pose[:3]).tolist())
            if inside.holds(local):
                return index
        return -1

    def _report(
        self, changes: Changes, name: str, containers: tuple[int, int], since_ns: int
    ) -> None:
        for event_name, index in zip(("left", "entered"), containers, strict=True):
            if index >= 0:
                container = self._layout.entities[index].name
                changes.event(event_name, since_ns, object=name, container=container)


@dataclass(frozen=True, slots=True)
class Interior:
    """The inside of a container in its own frame.

    Attributes:
        outline: (n, 2) corners of the convex outline, counter-clockwise [m].
        edges: (n, 2) vectors from each corner to the next [m].
        bottom: z of the lowest point [m].
        rim: z of the highest point [m].
    """

    outline: Floats
    edges: Floats
    bottom: float
    rim: float

    def holds(self, point: tuple[float, float, float]) -> bool:
        """Whether a point in the container's frame [m] is inside."""
        if not self.bottom <= point[2] <= self.rim:
            return False
        edges = self.edges
        to_point = np.array(point[:2]) - self.outline
        return bool((edges[:, 0] * to_point[:, 1] - edges[:, 1] * to_point[:, 0] >= 0).all())


def interior_of(container: Entity) -> Interior:
    """Compute the inside of an entity from its shapes.

    Raises:
        BadInput: if it has no shapes.
    """
    cloud = points_of(container.shapes)
    if not len(cloud):
        expected = "an entity with shapes, such as walls and a bottom"
        raise BadInput("this container has no shape", found=container.name, expected=expected)
    outline = _convex_outline(cloud[:, :2])
    edges = np.roll(outline, -1, axis=0) - outline
    return Interior(outline, edges, float(cloud[:, 2].min()), float(cloud[:, 2].max()))


def _convex_outline(points: Floats) -> Floats:
    """Return the corners of the convex hull of points in the plane, counter-clockwise (monotone chain)."""
    ordered = sorted(set(map(tuple, points.tolist())))

    def half_hull(sequence: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        chain: list[tuple[float, ...]] = []
        for p in sequence:
            while len(chain) >= 2 and _turns_right(chain[-2], chain[-1], p):
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return np.array(half_hull(ordered) + half_hull(ordered[::-1]))


def _turns_right(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 0
