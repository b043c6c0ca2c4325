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
_STEP_HEIGHT = 0.02
"""Height up to which the robot drives over obstacles [m]."""
_START_RADIUS = 0.35
"""Cells within this distance of the robot's position count as free, since the robot is there [m]."""
_STEPS = tuple((i, j, math.hypot(i, j)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))


@dataclass(frozen=True, slots=True)
class Obstacle:
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


def known_obstacles(scene: Snapshot, height: float) -> list[Obstacle]:
    """Return the obstacles that the robot knows.

    Args:
        scene: scene whose static bodies are the obstacles.
        height: height of the robot; bodies above it are not obstacles [m].
    """
    obstacles: list[Obstacle] = []
    for entity in scene.layout.of_kind(EntityKind.STATIC):
        if not scene.layout.has(entity.name, "pose"):
            continue
        body_pose = scene.pose(entity.name)
        for shape in entity.shapes:
            if shape.collides and shape.kind is not ShapeKind.PLANE:
                obstacles += _obstacles_of_shape(shape, body_pose, height)
    return obstacles


def _obstacles_of_shape(shape: Shape, body_pose: Floats, height: float) -> Iterator[Obstacle]:
    shape_pose = pose_value(shape.pose[:3], shape.pose[3:]).data  # type: ignore[arg-type]
    x, y, z, w, i, j, k = compose(body_pose, shape_pose)[:7].tolist()
    lengths, radius = _dimensions(shape)
    if z - lengths[2] / 2.0 > height or z + lengths[2] / 2.0 < _STEP_HEIGHT:
        return
    yaw = math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))
    half = (0.0, 0.0) if radius else (lengths[0] / 2.0, lengths[1] / 2.0)
    yield Obstacle((x, y), yaw, half, radius)


def _dimensions(shape: Shape) -> tuple[tuple[float, float, float], float]:
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
        obstacles: obstacles.
        lower, upper: corners of the floor [m].
        radius: radius of the robot, with its clearance [m].
        cell: cell size of the grid [m].
    """

    def __init__(
        self, obstacles: Sequence[Obstacle], lower: Point, upper: Point, radius: float, cell: float
    ) -> None:
        self._lower, self._cell = lower, cell
        self._shape = tuple(
            max(1, math.ceil((high - low) / cell)) for low, high in zip(lower, upper, strict=True)
        )
        i, j = np.meshgrid(*(np.arange(n) for n in self._shape), indexing="ij")
        self._x: Floats = np.asarray(lower[0] + (i + 0.5) * cell, np.float64)
        self._y: Floats = np.asarray(lower[1] + (j + 0.5) * cell, np.float64)
        self._clearance: Floats = np.full(self._shape, np.inf)
        self._radius = radius
        for obstacle in obstacles:
            self.add(obstacle)

    def add(self, obstacle: Obstacle) -> None:
        """Add an obstacle."""
        self._clearance = np.minimum(self._clearance, obstacle.distance(self._x, self._y))

    def shortest_path(self, start: Point, goal: Point) -> list[Point]:
        """Return the corners of the shortest path, the goal last; empty if there is no path."""
        free = self._clearance >= self._radius
        free |= np.hypot(self._x - start[0], self._y - start[1]) < _START_RADIUS
        start_cell, goal_cell = self._cell_of(start), self._cell_of(goal)
        if not (self._inside(start_cell) and self._inside(goal_cell) and free[goal_cell]):
            return []
        cells = _search(free, start_cell, goal_cell)
        if not cells:
            return []
        points = [start, *(self._centre_of(cell) for cell in cells[1:-1]), goal]
        return self._straighten(points, free)

    def _straighten(self, points: list[Point], free: NDArray[np.bool_]) -> list[Point]:
        """Return the corners that a straightened path needs, without the first point."""
        corners, index = [], 0
        while index < len(points) - 1:
            after = next(
                k
                for k in range(len(points) - 1, index, -1)
                if k == index + 1 or self._is_line_free(points[index], points[k], free)
            )
            corners.append(points[after])
            index = after
        return corners

    def _is_line_free(self, start: Point, end: Point, free: NDArray[np.bool_]) -> bool:
        count = max(2, math.ceil(math.dist(start, end) / (self._cell / 2.0)))
        fractions = np.linspace(0.0, 1.0, count)
        i = ((start[0] + fractions * (end[0] - start[0]) - self._lower[0]) // self._cell).astype(
            int
        )
        j = ((start[1] + fractions * (end[1] - start[1]) - self._lower[1]) // self._cell).astype(
            int
        )
        return bool(free[i, j].all())

    def _cell_of(self, point: Point) -> tuple[int, int]:
        i, j = ((p - low) // self._cell for p, low in zip(point, self._lower, strict=True))
        return int(i), int(j)

    def _centre_of(self, cell: tuple[int, int]) -> Point:
        return float(self._x[cell]), float(self._y[cell])

    def _inside(self, cell: tuple[int, int]) -> bool:
        return all(0 <= c < n for c, n in zip(cell, self._shape, strict=True))


def split_long_legs(start: Point, corners: Sequence[Point], longest: float) -> list[Point]:
    """Return the corners of a path, with points added on legs longer than `longest` [m]."""
    points: list[Point] = []
    for a, b in pairwise([start, *corners]):
        count = max(1, math.ceil(math.dist(a, b) / longest - 1e-9))
        for k in range(1, count + 1):
            fraction = k / count
            points.append(
                (
                    a[0] + fraction * (b[0] - a[0]),
                    a[1] + fraction * (b[1] - a[1]),
                )
            )
    return points


def _search(
    free: NDArray[np.bool_], start: tuple[int, int], goal: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the cells of the shortest path (A*); ties are broken by the indices of cells."""
    shape = free.shape
    costs = {start: 0.0}
    predecessors: dict[tuple[int, int], tuple[int, int]] = {}
    queue = [(math.dist(start, goal), start)]
    visited: set[tuple[int, int]] = set()
    while queue:
        _, cell = heapq.heappop(queue)
        if cell == goal:
            return _trace_back(predecessors, goal)
        if cell in visited:
            continue
        visited.add(cell)
        for i, j, length in _STEPS:
            after = cell[0] + i, cell[1] + j
            if not (0 <= after[0] < shape[0] and 0 <= after[1] < shape[1] and free[after]):
                continue
            cost = costs[cell] + length
            if cost < costs.get(after, math.inf) - 1e-12:
                costs[after], predecessors[after] = cost, cell
                heapq.heappush(queue, (cost + math.dist(after, goal), after))
    return []


def _trace_back(
    predecessors: dict[tuple[int, int], tuple[int, int]], goal: tuple[int, int]
) -> list[tuple[int, int]]:
    cells = [goal]
    while cells[-1] in predecessors:
        cells.append(predecessors[cells[-1]])
    return cells[::-1]
