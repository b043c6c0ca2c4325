"""Shapes of bodies as Foxglove draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.poses import rotate
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind

Rgba = Sequence[float]
"""Red, green, blue, opacity, each 0 to 1."""

_THIN = 1e-3
"""Thickness of a plane [m]."""


def scene_entity(messages: Any, entity: Entity, colour: Rgba | None, stamp: Any) -> Any:
    """Return the shapes of an entity as a ``SceneEntity`` in its frame.

    Args:
        messages: the module of the SDK's messages.
        entity: of the scene.
        colour: of all its shapes; None: each has its own.
        stamp: time of the message.
    """
    parts = _Parts(messages)
    for shape in entity.shapes:
        parts.add(shape, shape.rgba if colour is None else colour)
    return messages.SceneEntity(
        id=entity.name,
        frame_id=entity.name,
        frame_locked=True,
        timestamp=stamp,
        cubes=parts.cubes,
        spheres=parts.spheres,
        cylinders=parts.cylinders,
        triangles=parts.triangles,
    )


def pose(messages: Any, numbers: Sequence[float]) -> Any:
    """Return a ``Pose`` from x y z, qw qx qy qz."""
    x, y, z, qw, qx, qy, qz = (float(number) for number in numbers)
    return messages.Pose(
        position=messages.Vector3(x=x, y=y, z=z),
        orientation=messages.Quaternion(x=qx, y=qy, z=qz, w=qw),
    )


def colour_of(messages: Any, rgba: Rgba) -> Any:
    """Return a ``Color``."""
    r, g, b, a = (float(part) for part in rgba)
    return messages.Color(r=r, g=g, b=b, a=a)


class _Parts:
    """The shapes of one entity, by what draws them."""

    def __init__(self, messages: Any) -> None:
        self._messages = messages
        self.cubes: list[Any] = []
        self.spheres: list[Any] = []
        self.cylinders: list[Any] = []
        self.triangles: list[Any] = []

    def add(self, shape: Shape, rgba: Rgba) -> None:
        """Add a shape; a capsule is a cylinder with a sphere at each end."""
        size = [float(length) for length in shape.size]
        match shape.kind:
            case ShapeKind.BOX:
                self._put("Cube", self.cubes, shape.pose, size, rgba)
            case ShapeKind.PLANE:
                self._put("Cube", self.cubes, shape.pose, [size[0], size[1], _THIN], rgba)
            case ShapeKind.SPHERE:
                self._put("Sphere", self.spheres, shape.pose, [2 * size[0]] * 3, rgba)
            case ShapeKind.ELLIPSOID:
                self._put("Sphere", self.spheres, shape.pose, [2 * x for x in size], rgba)
            case ShapeKind.CYLINDER | ShapeKind.CAPSULE:
                self._round(shape, size[0], size[1], rgba)
            case ShapeKind.MESH:
                self._mesh(shape, rgba)

    def _put(
        self, kind: str, where: list[Any], place: Sequence[float], size: list[float], rgba: Rgba
    ) -> None:
        x, y, z = size
        make = getattr(self._messages, f"{kind}Primitive")
        more = {"bottom_scale": 1.0, "top_scale": 1.0} if kind == "Cylinder" else {}
        where.append(
            make(
                pose=pose(self._messages, place),
                size=self._messages.Vector3(x=x, y=y, z=z),
                color=colour_of(self._messages, rgba),
                **more,
            )
        )

    def _round(self, shape: Shape, radius: float, length: float, rgba: Rgba) -> None:
        width = 2 * radius
        self._put("Cylinder", self.cylinders, shape.pose, [width, width, length], rgba)
        if shape.kind is ShapeKind.CAPSULE:
            turn = shape.pose[3:7]
            for end in (-length / 2, length / 2):
                place = np.add(shape.pose[:3], rotate(turn, (0.0, 0.0, end)))
                self._put("Sphere", self.spheres, [*place, *turn], [width] * 3, rgba)

    def _mesh(self, shape: Shape, rgba: Rgba) -> None:
        if shape.vertices is None or shape.faces is None:
            return
        messages = self._messages
        points = [messages.Point3(x=x, y=y, z=z) for x, y, z in shape.vertices.tolist()]
        self.triangles.append(
            messages.TriangleListPrimitive(
                pose=pose(messages, shape.pose),
                points=points,
                color=colour_of(messages, rgba),
                indices=[int(i) for i in shape.faces.ravel()],
            )
        )


def arrow(
    messages: Any, start: Sequence[float], along: Sequence[float], length: float, rgba: Rgba
) -> Any:
    """Return an ``ArrowPrimitive`` of a length [m] from a point into a direction, both in the frame of its entity."""
    return messages.ArrowPrimitive(
        pose=pose(messages, [*start, *_turn_of_x(along)]),
        shaft_length=0.75 * length,
        shaft_diameter=_SHAFT,
        head_length=0.25 * length,
        head_diameter=2 * _SHAFT,
        color=colour_of(messages, rgba),
    )


_SHAFT = 0.004
"""Thickness of an arrow [m]."""


def _turn_of_x(along: Sequence[float]) -> list[float]:
    """The quaternion w x y z that turns the x axis into a direction."""
    x, y, z = np.asarray(along) / np.linalg.norm(along)
    if x < -1 + 1e-9:
        return [0.0, 0.0, 0.0, 1.0]
    half = np.array([1.0 + x, 0.0, -z, y])
    return [float(part) for part in half / np.linalg.norm(half)]
