"""The free space of a round robot between obstacles, and shortest paths in it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.model import EntityKind, Floats, Shape, ShapeKind, Snapshot, compose, pose_value

Point = tuple[float, float]
_FLOOR = 0.02
"""Height up to which the robot drives over obstacles [m]."""
_ESCAPE = 0.35
"""Radius around the robot's position in which cells count as free, since it stands there [m]."""
_STEPS = tuple((i, j, math.hypot(i, j)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))


@dataclass(frozen=True, slots=True)
class Block:
    """An obstacle on the floor: a box or a disc.

    Attributes:
        centre: x y [m].
        yaw: yaw of the box [rad].
        half: half lengths of the box [m]; (0, 0) for a disc.
        radius: radius of a disc, or margin around a box [m].
    """

    centre: Point
    yaw: float
    half: Point
    radius: float

    def distance(self, x: Floats, y: Floats) -> Floats:
        """Return the distance of points from the obstacle [m], negative inside a disc, 0 inside a box."""
        dx, dy = x - self.centre[0], y - self.centre[1]
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        along = np.maximum(np.abs(c * dx + s * dy) - self.half[0], 0.0)
        across = np.maximum(np.abs(c * dy - s * dx) - self.half[1], 0.0)
        return np.hypot(along, across) - self.radius


def known_blocks(scene: Snapshot, height: float) -> list[Block]:
    """Return the obstacles that the robot knows.

    Args:
        scene: scene whose static bodies are the obstacles.
        height: height of the robot; bodies above it are no obstacles [m].
    """
    found: list[Block] = []
    for entity in scene.layout.of_kind(EntityKind.STATIC):
        if not scene.layout.has(entity.name, "pose"):
            continue
        at = scene.pose(entity.name)
        for shape in entity.shapes:
            if shape.collides and shape.kind is not ShapeKind.PLANE:
                found += _blocks(shape, at, height)
    return found


def _blocks(shape: Shape, at: Floats, height: float) -> Iterator[Block]:
    own = pose_value(shape.pose[:3], shape.pose[3:]).data  # type: ignore[arg-type]
    x, y, z, w, i, j, k = compose(at, own)[:7].tolist()
    lengths, radius = _measures(shape)
    if z - lengths[2] / 2.0 > height or z + lengths[2] / 2.0 < _FLOOR:
        return
    yaw = math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))
    half = (0.0, 0.0) if radius else (lengths[0] / 2.0, lengths[1] / 2.0)
    yield Block((x, y), yaw, half, radius)


def _measures(shape: Shape) -> tuple[tuple[float, float, float], float]:
    """Return full lengths and radius of a shape [m]; a mesh counts as its bounding box."""
    size = shape.size
    match shape.kind:
        case ShapeKind.BOX:
            return (size[0], size[1], size[2]), 0.0
        case ShapeKind.SPHERE:
            return (2.0 * size[0],) * 3, size[0]
        case ShapeKind.CYLINDER | ShapeKind.CAPSULE:
            round_ends = 2.0 * size[0] if shape.kind is ShapeKind.CAPSULE else 0.0
            return (2.0 * size[0], 2.0 * size[0], size[1] + round_ends), size[0]
        case ShapeKind.ELLIPSOID:
            return (2.0 * size[0], 2.0 * size[1], 2.0 * size[2]), 0.0
    assert shape.vertices is not None
    low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    reach = [2.0 * max(abs(a), abs(b)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    return (reach[0], reach[1], reach[2]), 0.0


class FreeSpace:
    """A grid over the floor with the free positions of the robot's centre.

    Args:
        blocks: obstacles.
        lower, upper: corners of the floor [m].
        radius: radius of the robot, with its clearance [m].
        cell: cell size of the grid [m].
    """

    def __init__(
        self, blocks: Sequence[Block], lower: Point, upper: Point, radius: float, cell: float
    ) -> None:
        self._lower, self._cell = lower, cell
        self._shape = tuple(
            max(1, math.ceil((high - low) / cell)) for low, high in zip(lower, upper, strict=True)
        )
        i, j = np.meshgrid(*(np.arange(n) for n in self._shape), indexing="ij")
        self._x: Floats = np.asarray(lower[0] + (i + 0.5) * cell, np.float64)
        self._y: Floats = np.asarray(lower[1] + (j + 0.5) * cell, np.float64)
        self._clear: Floats = np.full(self._shape, np.inf)
        self._radius = radius
        for block in blocks:
            self.add(block)

    def add(self, block: Block) -> None:
        """Add an obstacle."""
        self._clear = np.minimum(self._clear, block.distance(self._x, self._y))

    def way(self, start: Point, goal: Point) -> list[Point]:
        """Return the corners of the shortest path, the goal last; empty if there is no path."""
        free = self._clear >= self._radius
        free |= np.hypot(self._x - start[0], self._y - start[1]) < _ESCAPE
        here, there = self._cell_of(start), self._cell_of(goal)
        if not (self._inside(here) and self._inside(there) and free[there]):
            return []
        cells = _search(free, here, there)
        if not cells:
            return []
        points = [start, *(self._middle(cell) for cell in cells[1:-1]), goal]
        return self._straightened(points, free)

    def _straightened(self, points: list[Point], free: NDArray[np.bool_]) -> list[Point]:
        """Return the corners that a straightened path needs, without the first point."""
        corners, at = [], 0
        while at < len(points) - 1:
            after = next(
                k
                for k in range(len(points) - 1, at, -1)
                if k == at + 1 or self._sees(points[at], points[k], free)
            )
            corners.append(points[after])
            at = after
        return corners

    def _sees(self, one: Point, two: Point, free: NDArray[np.bool_]) -> bool:
        count = max(2, math.ceil(math.dist(one, two) / (self._cell / 2.0)))
        shares = np.linspace(0.0, 1.0, count)
        i = ((one[0] + shares * (two[0] - one[0]) - self._lower[0]) // self._cell).astype(int)
        j = ((one[1] + shares * (two[1] - one[1]) - self._lower[1]) // self._cell).astype(int)
        return bool(free[i, j].all())

    def _cell_of(self, point: Point) -> tuple[int, int]:
        i, j = ((p - low) // self._cell for p, low in zip(point, self._lower, strict=True))
        return int(i), int(j)

    def _middle(self, cell: tuple[int, int]) -> Point:
        return float(self._x[cell]), float(self._y[cell])

    def _inside(self, cell: tuple[int, int]) -> bool:
        return all(0 <= c < n for c, n in zip(cell, self._shape, strict=True))


def in_parts(start: Point, corners: Sequence[Point], longest: float) -> list[Point]:
    """Return the corners of a path, with points added on legs longer than `longest` [m]."""
    points: list[Point] = []
    for one, two in pairwise([start, *corners]):
        count = max(1, math.ceil(math.dist(one, two) / longest - 1e-9))
        for k in range(1, count + 1):
            share = k / count
            points.append((one[0] + share * (two[0] - one[0]), one[1] + share * (two[1] - one[1])))
    return points


def _search(
    free: NDArray[np.bool_], start: tuple[int, int], goal: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the cells of the shortest path (A*); ties are broken by the indices of cells."""
    most = free.shape
    costs = {start: 0.0}
    before: dict[tuple[int, int], tuple[int, int]] = {}
    waiting = [(math.dist(start, goal), start)]
    done: set[tuple[int, int]] = set()
    while waiting:
        _, cell = heapq.heappop(waiting)
        if cell == goal:
            return _traced(before, goal)
        if cell in done:
            continue
        done.add(cell)
        for i, j, length in _STEPS:
            after = cell[0] + i, cell[1] + j
            if not (0 <= after[0] < most[0] and 0 <= after[1] < most[1] and free[after]):
                continue
            cost = costs[cell] + length
            if cost < costs.get(after, math.inf) - 1e-12:
                costs[after], before[after] = cost, cell
                heapq.heappush(waiting, (cost + math.dist(after, goal), after))
    return []


def _traced(
    before: dict[tuple[int, int], tuple[int, int]], goal: tuple[int, int]
) -> list[tuple[int, int]]:
    cells = [goal]
    while cells[-1] in before:
        cells.append(before[cells[-1]])
    return cells[::-1]
