"""Where a robot's links are during a run, as points on their surfaces; computed without any engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.poses import rotation_matrices, rotation_matrix
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind
from hetwin_core.episodes.episode import Episode

SPACING = 0.01
"""Between points [m]."""
AMONG_THE_FIRST_S = 0.1
_AROUND = 24


@dataclass(frozen=True)
class Sweep:
    """Points on the links over time.

    Attributes:
        seconds: (m,) times [s].
        points: link -> (m, n, 3) in the world [m].
        avoided: (m, 3) points of objects at the start, which must stay clear [m].
    """

    seconds: Floats
    points: dict[str, Floats]
    avoided: Floats

    @classmethod
    def of(cls, episode: Episode) -> Sweep:
        """The sweep of a run's robot."""
        layout = episode.layout
        links = layout.of_kind(EntityKind.LINK)
        points = {link.name: _swept(link, episode.pose(link.name)) for link in links}
        objects = layout.of_kind(EntityKind.OBJECT)
        still = [_swept(one, episode.pose(one.name)[:1])[0] for one in objects]
        seconds = np.asarray(episode.times, np.float64) / 1e9
        return cls(seconds, {n: p for n, p in points.items() if p.size}, np.concatenate(still))

    def somewhere(self, random: np.random.Generator) -> list[float]:
        """A pose x y z, qw qx qy qz at which some link is at some time, turned about the vertical."""
        link = str(random.choice(list(self.points)))
        row = int(random.integers(len(self.seconds)))
        at = self.points[link][row].mean(axis=0)
        half = 0.5 * float(random.uniform(0.0, np.pi))
        return [*at.tolist(), float(np.cos(half)), 0.0, 0.0, float(np.sin(half))]

    def first_inside(self, pose: list[float], size: tuple[float, ...]) -> tuple[float, list[str]]:
        """When a box is entered first [s], and by which links; -1 if never, or if it is where an object is."""
        turn, half = rotation_matrix(pose[3:7]), 0.5 * np.array(size)

        def inside(points: Floats, more: float = 0.0) -> np.ndarray:
            local = np.abs((points - np.array(pose[:3])) @ turn)
            return np.asarray((local <= half + more).all(axis=-1))

        if inside(self.avoided, 0.03).any():
            return -1.0, []
        rows = {link: inside(points).any(axis=1) for link, points in self.points.items()}
        firsts = {n: float(self.seconds[r.argmax()]) for n, r in rows.items() if r.any()}
        first = min(firsts.values(), default=-1.0)
        return first, [n for n, time in firsts.items() if time <= first + AMONG_THE_FIRST_S]


def _swept(entity: Entity, poses: Floats) -> Floats:
    """(m, n, 3) points of an entity at poses (m, 13)."""
    shapes = [shape for shape in entity.shapes if shape.collides]
    local = np.concatenate([_points(shape) for shape in shapes]) if shapes else np.empty((0, 3))
    turned = np.einsum("mij,nj->mni", rotation_matrices(poses[:, 3:7]), local)
    swept: Floats = poses[:, None, :3] + turned
    return swept


def _points(shape: Shape) -> Floats:
    """(n, 3) points on a shape's surface in its entity's frame."""
    local = _box(shape.size) if shape.kind is ShapeKind.BOX else _round(shape)
    points: Floats = local @ rotation_matrix(shape.pose[3:7]).T + np.array(shape.pose[:3])
    return points


def _box(size: tuple[float, ...]) -> Floats:
    axes = [np.linspace(-0.5, 0.5, max(2, round(length / SPACING) + 1)) * length for length in size]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    outer = np.isclose(np.abs(grid), 0.5 * np.array(size)).any(axis=1)
    return np.asarray(grid[outer])


def _round(shape: Shape) -> Floats:
    """Rings along the axis of a cylinder; a sphere as well, of rings of its own radii."""
    radius = shape.size[0]
    length = 2 * radius if shape.kind is ShapeKind.SPHERE else shape.size[1]
    heights = np.linspace(-0.5, 0.5, max(2, round(length / SPACING) + 1)) * length
    radii = np.full(len(heights), radius)
    if shape.kind is ShapeKind.SPHERE:
        radii = np.sqrt(np.maximum(radius**2 - heights**2, 0.0))
    angles = np.linspace(0.0, 2 * np.pi, _AROUND, endpoint=False)
    x, y = np.outer(radii, np.cos(angles)), np.outer(radii, np.sin(angles))
    return np.stack((x, y, np.repeat(heights[:, None], _AROUND, axis=1)), axis=-1).reshape(-1, 3)
