"""Ways between obstacles: as short as they can be, and as far away as the robot needs."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from hetwin_twin_lab.free_space import FreeSpace, Obstacle, Point, split_long_legs

WALL = Obstacle((0.0, 0.0), 0.0, (0.05, 1.0), 0.0)


def space(*blocks: Obstacle) -> FreeSpace:
    return FreeSpace(blocks, (-2.0, -2.0), (2.0, 2.0), 0.3, 0.05)


def length(points: list[Point]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(points))


def test_a_free_way_is_straight() -> None:
    assert space().shortest_path((-1.0, 0.0), (1.0, 0.2)) == [(1.0, 0.2)]


def test_a_wall_is_gone_round_at_its_distance() -> None:
    way = [(-1.0, 0.5), *space(WALL).shortest_path((-1.0, 0.5), (1.0, 0.5))]
    assert len(way) > 2
    for one, two in pairwise(way):
        shares = np.linspace(0.0, 1.0, 50)
        x, y = (one[i] + shares * (two[i] - one[i]) for i in (0, 1))
        assert WALL.distance(x, y).min() > 0.3 - 0.05
    shortest = 2 * math.hypot(0.95, 0.8) + 0.1
    assert length(way) < 1.1 * shortest


def test_there_may_be_no_way() -> None:
    closed = Obstacle((0.0, 0.0), 0.0, (0.05, 2.0), 0.0)
    assert space(closed).shortest_path((-1.0, 0.5), (1.0, 0.5)) == []
    assert space(WALL).shortest_path((-1.0, 0.5), (0.0, 0.0)) == []


def test_who_stands_too_near_may_leave() -> None:
    assert space(WALL).shortest_path((-0.2, 0.0), (-1.0, 0.0)) == [(-1.0, 0.0)]


@pytest.mark.parametrize("yaw", [0.0, 0.4, math.pi / 2])
def test_distances_of_a_turned_box(yaw: float) -> None:
    box = Obstacle((1.0, 1.0), yaw, (0.3, 0.1), 0.0)
    away = np.array([0.5]), np.array([0.0])
    x = 1.0 + away[0] * math.cos(yaw)
    y = 1.0 + away[0] * math.sin(yaw)
    assert box.distance(x, y) == pytest.approx([0.2])
    disc = Obstacle((1.0, 1.0), yaw, (0.0, 0.0), 0.2)
    assert disc.distance(x, y) == pytest.approx([0.3])


def test_long_legs_are_parted() -> None:
    assert split_long_legs((0.0, 0.0), [(3.0, 0.0), (3.0, 0.5)], 1.5) == [
        (1.5, 0.0),
        (3.0, 0.0),
        (3.0, 0.5),
    ]
