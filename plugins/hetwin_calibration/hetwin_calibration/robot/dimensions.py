"""Comparison of dimensions and positions of a robot's links or a world's things with measured ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

import numpy as np
from transforms3d.quaternions import axangle2quat, quat2mat

from hetwin_suite.command import perhaps
from hetwin_suite.engine import Body, Geometry, JointKind, Pose, compose_poses
from hetwin_suite.model import Floats, ShapeKind
from hetwin_suite.tables import NumberTable as Table
from hetwin_suite.tables import check_columns

COLUMNS = ("name", "of", "measure", "value")


class Measure(StrEnum):
    """Kinds of measures."""

    HEIGHT = "height"
    LENGTH = "length"
    WIDTH = "width"
    DIAMETER = "diameter"
    TOP = "top"
    X = "x"
    Y = "y"


@dataclass(frozen=True, slots=True)
class Part:
    """A link, or a thing of a world.

    Attributes:
        position: (3,) position of its frame [m].
        points: (n, 3) outermost points of its surface [m].
    """

    position: Floats
    points: Floats


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension of the model, and its measured value [m]."""

    name: str
    model: float
    measured: float

    @property
    def error(self) -> float:
        """Absolute difference between model and measurement [m]."""
        return abs(self.model - self.measured)

    def to_json(self) -> dict[str, float | str]:
        """Return the JSON object of the dimension in `hetwin urdf describe --json`."""
        return {
            "name": self.name,
            "model": self.model,
            "measured": self.measured,
            "error": self.error,
        }


def compare(parts: Mapping[str, Part], table: Table) -> list[Dimension]:
    """Compare the rows of a table with parts, by name.

    Raises:
        BadInput: if a row is invalid, or its part is missing or has no shape.
    """
    check_columns(table, COLUMNS)
    values = table.numbers(["value"])[:, 0]
    index = [table.columns.index(column) for column in COLUMNS[:3]]
    found = []
    for i, row in enumerate(table.rows):
        name, pattern, measure = (row[k] for k in index)
        if measure not in [*Measure]:
            raise table.bad("no such measure", i, measure, ", ".join(Measure))
        chosen = [part for part_name, part in parts.items() if fnmatchcase(part_name, pattern)]
        if not chosen:
            raise table.bad(
                "there is no such part", i, pattern, f"a name or a glob{perhaps(pattern, parts)}"
            )
        value = _value(chosen, Measure(measure))
        if value is None:
            raise table.bad(
                "has no shape that was found", i, pattern, "a part with shapes or meshes"
            )
        found.append(Dimension(name, value, float(values[i])))
    return found


def _value(parts: Sequence[Part], measure: Measure) -> float | None:
    if measure in (Measure.X, Measure.Y):
        return float(parts[0].position[int(measure is Measure.Y)])
    points = np.concatenate([part.points for part in parts])
    if not len(points):
        return None
    low, high = points.min(axis=0), points.max(axis=0)
    length, width, height = (high - low).tolist()
    values: dict[Measure, float] = {
        Measure.HEIGHT: height,
        Measure.LENGTH: length,
        Measure.WIDTH: width,
        Measure.DIAMETER: (length + width) / 2.0,
        Measure.TOP: float(high[2]),
    }
    return values[measure]


def links_of(body: Body) -> dict[str, Part]:
    """Return the links of a robot in the frame of its root, with the joints at 0 or at the limit nearest to 0."""
    return dict(_placed(body))


def things_of(bodies: Sequence[Body]) -> dict[str, Part]:
    """Return the things of a world by name, and their links as THING::LINK."""
    found: dict[str, Part] = {}
    for body in bodies:
        links = {f"{body.name}::{name}": part for name, part in _placed(body)}
        points = np.concatenate([part.points for part in links.values()])
        found[body.name] = Part(np.array(body.pose[:3]), points)
        found.update(links)
    return found


def _placed(body: Body) -> Iterator[tuple[str, Part]]:
    above = {joint.child: joint for joint in body.joints}
    poses: dict[str, Pose] = {}
    for link in body.links:
        joint = above.get(link.name)
        pose = compose_poses(body.pose if joint is None else poses[joint.parent], link.pose)
        if joint is not None and joint.kind is JointKind.HINGE:
            turn = axangle2quat(joint.axis, joint.resting, is_normalized=True)
            pose = compose_poses(pose, (0.0, 0.0, 0.0, *turn))
        elif joint is not None and joint.kind is JointKind.SLIDE:
            pose = compose_poses(
                pose, (*(joint.resting * np.array(joint.axis)), 1.0, 0.0, 0.0, 0.0)
            )
        poses[link.name] = pose
        yield link.name, Part(np.array(pose[:3]), _points(link.geometries, pose))


def _points(geometries: Sequence[Geometry], pose: Pose) -> Floats:
    """Return the outermost points of the visuals; of the collision shapes if there are no visuals."""
    seen = [geometry for geometry in geometries if not geometry.collides]
    clouds = [
        _cloud(geometry, compose_poses(pose, geometry.pose)) for geometry in seen or geometries
    ]
    return np.concatenate(clouds) if clouds else np.zeros((0, 3))


def _cloud(geometry: Geometry, pose: Pose) -> Floats:
    rotation = quat2mat(pose[3:])
    position = np.array(pose[:3])
    if geometry.hull is not None:
        return np.asarray(geometry.hull.vertices @ rotation.T + position)
    if geometry.kind is ShapeKind.BOX:
        corners = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T
        return np.asarray(corners * geometry.size @ rotation.T + position)
    if geometry.kind is ShapeKind.PLANE:
        return np.zeros((0, 3))
    return position + _round(geometry, rotation)


def _round(geometry: Geometry, rotation: Floats) -> Floats:
    """Return the outermost points (6, 3) along x, y and z of a round shape, relative to its centre."""
    if geometry.kind is ShapeKind.ELLIPSOID:
        reach = np.diag(np.linalg.norm(rotation * geometry.size, axis=1))
        return np.concatenate((reach, -reach))
    radius, *length = geometry.size
    half = (length[0] / 2.0 if length else 0.0) * np.abs(rotation[:, 2])
    ball = geometry.kind in (ShapeKind.SPHERE, ShapeKind.CAPSULE)
    around = np.ones(3) if ball else np.sqrt(np.maximum(0.0, 1.0 - rotation[:, 2] ** 2))
    reach = np.diag(half + radius * around)
    return np.concatenate((reach, -reach))
