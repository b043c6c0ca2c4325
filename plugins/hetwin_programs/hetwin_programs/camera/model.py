"""Camera: visibility of objects, and detections in its pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hetwin_programs.camera.detector import EVERY, PICTURE, Detector, Settings, picture
from hetwin_suite.engine import POSE_SIZE
from hetwin_suite.model import (
    POSE,
    AttributeSpec,
    BadInput,
    Changes,
    Contribution,
    EntityKind,
    Event,
    EventKind,
    Floats,
    Layout,
    Meaning,
    Model,
    Shape,
    ShapeKind,
    Snapshot,
    Tick,
    compose,
    one_of,
    phase_of,
    relative_to,
    rotation_matrix,
)
from hetwin_suite.shapes import SceneShapes

_NO_POINTS = (ShapeKind.PLANE,)


def points_in(shapes: Sequence[Shape], count: int) -> Floats:
    """Return (n, 3) points spread over an object, in its frame [m]; the same points at every call.

    Args:
        shapes: the object's shapes; for a mesh the points lie on its surface, for other shapes inside.
        count: approximate number of points.
    """
    solid = [shape for shape in shapes if shape.kind not in _NO_POINTS]
    random = np.random.default_rng(0)
    share = max(1, round(count / max(1, len(solid))))
    rows = [_to_entity_frame(shape, _points(shape, share, random)) for shape in solid]
    return np.vstack(rows) if rows else np.zeros((0, 3))


def _points(shape: Shape, count: int, random: np.random.Generator) -> Floats:
    """(count, 3) points in the shape's own frame [m]."""
    if shape.kind is ShapeKind.MESH:
        assert shape.vertices is not None
        if shape.faces is None or not len(shape.faces):
            return np.asarray(shape.vertices[random.integers(len(shape.vertices), size=count)])
        corners = shape.vertices[shape.faces[random.integers(len(shape.faces), size=count)]]
        shares = random.dirichlet((1.0, 1.0, 1.0), count)
        return np.asarray(np.einsum("nc,ncd->nd", shares, corners))
    cube = random.uniform(-0.95, 0.95, (count, 3))
    if shape.kind is ShapeKind.BOX:
        return np.asarray(cube * np.array(shape.size) / 2.0)
    ball = cube / np.maximum(1.0, np.linalg.norm(cube, axis=1, keepdims=True))
    if shape.kind in (ShapeKind.SPHERE, ShapeKind.ELLIPSOID):
        return np.asarray(ball * np.array(shape.size))
    radius, length = shape.size  # a cylinder or a capsule
    flat = cube[:, :2] / np.maximum(1.0, np.linalg.norm(cube[:, :2], axis=1, keepdims=True))
    return np.column_stack((radius * flat, length / 2.0 * cube[:, 2]))


def _to_entity_frame(shape: Shape, points: Floats) -> Floats:
    """Transform points from a shape's frame to the entity's."""
    rotated = points @ rotation_matrix(np.array(shape.pose[3:])).T
    return np.asarray(rotated + np.array(shape.pose[:3]))


@dataclass(frozen=True, slots=True)
class View:
    """The view of a camera that looks along its x axis, with z up.

    Attributes:
        width, height: horizontal and vertical field of view [rad].
        nearest, reach: minimum and maximum distance at which objects are seen [m].
    """

    width: float
    height: float
    nearest: float
    reach: float

    def contains(self, points: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """(n,) whether points (n, 3) in the camera's frame are in the picture."""
        x, y, z = points.T
        ahead = np.maximum(x, 1e-9)
        inside = (x > 0.0) & (np.abs(y) <= ahead * math.tan(self.width / 2.0))
        inside &= np.abs(z) <= ahead * math.tan(self.height / 2.0)
        distances = np.linalg.norm(points, axis=1)
        return np.asarray(inside & (distances >= self.nearest) & (distances <= self.reach))


class VisibilityTest:
    """Computes how much of each object is seen, by casting rays at points of the objects.

    Args:
        layout: layout of the scene.
        objects: names of the objects.
        view: view of the camera.
        rays: number of points per object.
    """

    def __init__(self, layout: Layout, objects: Sequence[str], view: View, rays: int) -> None:
        self._shapes = SceneShapes(layout)
        self._view = view
        self._names = list(objects)
        self._ids = [layout.entity_id(name) for name in objects]
        self._points = [points_in(layout.entity(name).shapes, rays) for name in objects]

    def shares(self, scene: Snapshot, camera: Floats, without: str) -> Floats:
        """Return (n,) the share of each object that is seen, 0 to 1.

        Args:
            scene: snapshot with the poses of all entities.
            camera: (13,) pose of the camera in the world.
            without: entity that the camera is fixed to; it never occludes.
        """
        rotation = rotation_matrix(camera[3:7])
        self._shapes.update(scene)
        found = np.zeros(len(self._names))
        for i, name in enumerate(self._names):
            points = self._points[i]
            if not len(points):
                continue
            pose = scene.pose(name)
            in_world = points @ rotation_matrix(pose[3:7]).T + pose[:3]
            rays = in_world[self._view.contains((in_world - camera[:3]) @ rotation)] - camera[:3]
            if not len(rays):
                continue
            directions = rays / np.linalg.norm(rays, axis=1, keepdims=True)
            hits = self._shapes.cast(camera[:3], directions, self._view.reach, without)
            found[i] = float(np.count_nonzero(hits == self._ids[i])) / len(points)
        return found


VISIBLE = AttributeSpec("visible", meaning=Meaning.TRUTH)
"""Whether a camera can see an object."""


class Camera(Model[Settings]):
    """Observes which objects are in view and not occluded; takes pictures during operations in which the robot looks.

    The event ``picture`` has the arguments ``frame`` (the robot's link that the camera is fixed to; empty: the poses
    are in the world), ``found`` (object, pose, confidence of each detection) and ``truth`` (the true object of each),
    which is for analysis and never reaches the robot.
    """

    summary = (
        "A camera: what is visible, and what a detector with noise, misses and confusions finds."
    )
    rate = 5.0
    provides = (VISIBLE,)
    raises: ClassVar[Mapping[str, str]] = {
        PICTURE: "a picture was taken: frame, found (object, pose, confidence), truth"
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the attribute ``visible`` of each object.

        Raises:
            BadInput: if a parameter cannot be used.
        """
        self._objects = list(dict.fromkeys(settings.objects))
        self._operations: set[str] = set()
        for name in self._objects:
            scene.set(name, VISIBLE, 0.0)
        scene.needs(("*", POSE.name))
        if not self._objects:
            scene.warn("there is no object that the camera may see")

    def start(self, scene: Snapshot) -> None:
        """Find frame and objects in the scene.

        Raises:
            BadInput: if one is missing.
        """
        layout, settings = scene.layout, self.settings
        with_pose = [slot.entity for slot in layout.slots if slot.attribute.name == POSE.name]
        frames = [*with_pose, *(hand.name for hand in layout.of_kind(EntityKind.HAND))]
        _check("frame", settings.frame, frames)
        for name in self._objects:
            _check("objects", name, with_pose)
        _check_names(settings, self._objects)
        view = View(settings.width, settings.height, settings.nearest, settings.reach)
        self._sight = VisibilityTest(layout, self._objects, view, settings.rays)
        self._detector = Detector(settings, self._objects, self.seed)
        self._at = np.zeros(POSE_SIZE)
        self._at[:7] = settings.at
        self._link = _link(layout, settings.frame)

    def step(self, tick: Tick) -> Changes:
        """Report the visible objects, and take a picture during operations in which the robot looks."""
        self._track_operations(tick.events)
        scene, settings = tick.scene, self.settings
        frame = scene.pose(settings.frame)
        shares = self._sight.shares(scene, compose(frame, self._at), settings.frame)
        seen = (shares > 0.0) & (shares >= settings.least)
        changes = tick.changes()
        for name, visible in zip(self._objects, seen.tolist(), strict=True):
            changes.set(name, VISIBLE, float(visible))
        if self._operations or not settings.during:
            changes.events.append(self._picture(tick, frame, shares, seen.tolist()))
        return changes

    def _picture(self, tick: Tick, frame: Floats, shares: Floats, seen: list[bool]) -> Event:
        found = []
        for name, share, visible in zip(self._objects, shares.tolist(), seen, strict=True):
            pose = tick.scene.pose(name)
            in_frame = relative_to(frame, pose) if self._link else pose
            found.append(self._detector.detect(name, in_frame, share, visible))
        return picture(tick.time_ns, self._link, [seen for seen in found if seen is not None])

    def _track_operations(self, events: tuple[Event, ...]) -> None:
        """Track the operations during which pictures are taken."""
        for event in events:
            if event.kind is not EventKind.ACTION or event.name not in self.settings.during:
                continue
            key = str(event.arguments.get("task", event.name))
            if phase_of(event) == "begin":
                self._operations.add(key)
            else:
                self._operations.discard(key)


def _link(layout: Layout, frame: str) -> str:
    """The frame, if it is a link of a robot; otherwise empty."""
    entity = layout.entity(frame)
    robots = {robot.name for robot in layout.of_kind(EntityKind.ROBOT)}
    return frame if entity.kind is EntityKind.LINK and entity.owner in robots else ""


def _check(where: str, name: str, known: list[str]) -> None:
    if name not in known:
        raise BadInput(
            "the scene has no such entity with a pose",
            where=where,
            found=name,
            expected=one_of(name, known),
        )


def _check_names(settings: Settings, objects: list[str]) -> None:
    """Check that the objects named under `miss` and `confusion` are among those that the camera may see.

    Raises:
        BadInput: if one is not, or if an object's probabilities of confusion sum up to more than 1.
    """
    missed = settings.miss if isinstance(settings.miss, dict) else {}
    for name in missed:
        if name != EVERY:
            _check(f"miss.{name}", name, [*objects, EVERY])
    for name, others in settings.confusion.items():
        _check(f"confusion.{name}", name, objects)
        for other in others:
            _check(f"confusion.{name}.{other}", other, objects)
        if sum(others.values()) > 1.0 + 1e-9:
            raise BadInput(
                "these probabilities are more than 1 together",
                where=f"confusion.{name}",
                found=dict(others),
                expected="at most 1",
            )
