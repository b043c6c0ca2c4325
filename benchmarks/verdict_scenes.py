"""What stands around a robot that moves: past it, in its way, or under what it fetches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from verdict_motions import Motion, Vain, free, swinging
from verdict_robots import Cuboid, Lab

TABLE, BOX = "table", "box"
DEEP = 0.002
"""A touch at least so deep is to be named [m]."""
PLANTED_DEEP = (0.003, 0.03)
"""How deep a link is planted in a table; the twin follows its recording within 1 mrad [m]."""
CLEAR = 0.01
"""Nothing that is not planted comes as near [m]."""
_SHELF = 0.04
_MOTIONS, _OFTEN = 60, 25
_TRIES = 80


@dataclass(frozen=True)
class Thing:
    """A cuboid of the scene; without a mass [kg] it is static."""

    box: Cuboid
    mass: float | None = None


def nearest(lab: Lab, motion: Motion, box: Cuboid) -> float:
    """How near any link comes to a box [m]."""
    for step in (8, 2):  # most are seen to be too near at once
        found = lab.distances(motion.positions[::step], box)
        least = min(float(row.min()) for row in found.values())
        if least < CLEAR:
            break
    return least


def _on_top(shelf: Cuboid, size: tuple[float, float, float], x: float, y: float) -> Cuboid:
    """A box on a shelf."""
    return Cuboid(size, (x, y, shelf.at[2] + 0.5 * (_SHELF + size[2])), shelf.yaw)


def shelf_under(box: Cuboid, side: float) -> Cuboid:
    """What a box stands on."""
    below = box.at[2] - 0.5 * box.size[2] - 0.5 * _SHELF
    return Cuboid((side, side, _SHELF), (box.at[0], box.at[1], below), box.yaw)


def _box(random: np.random.Generator) -> tuple[float, float, float]:
    one, two, three = random.uniform(0.05, 0.09, 3).tolist()
    return one, two, three


def random_offset(lab: Lab, motion: Motion, random: np.random.Generator) -> Mapping[str, Thing]:
    """A box on a shelf, which the robot passes."""
    for _ in range(_TRIES):
        around, radius = random.uniform(-np.pi, np.pi), random.uniform(0.3, 0.8)
        at = (float(radius * np.cos(around)), float(radius * np.sin(around)))
        box = Cuboid(_box(random), (*at, float(random.uniform(0.0, 0.6))), float(around))
        shelf = shelf_under(box, 0.3)
        if min(nearest(lab, motion, one) for one in (box, shelf)) > 2 * CLEAR:
            mass = float(random.uniform(0.1, 0.4))
            return {TABLE: Thing(shelf), BOX: Thing(box, mass)}
    raise Vain("there is no room for a box")


def beside(lab: Lab, motion: Motion, table: Cuboid, random: np.random.Generator) -> Cuboid:
    """A box on the table, out of the robot's way."""
    for _ in range(_TRIES):
        along, across = random.uniform((-0.2, -0.5), (0.2, 0.5))
        at = np.array(table.at) + table.turn @ np.array((along, across, 0.0))
        box = _on_top(table, _box(random), float(at[0]), float(at[1]))
        if nearest(lab, motion, box) > 2 * CLEAR:
            return box
    raise Vain("there is no room beside")


def under(motion: Motion) -> Cuboid:
    """The table that the box stands on, wide enough for where it is put."""
    box = motion.box
    assert box is not None
    turned = motion.positions[:, 0]
    middle = 0.5 * float(turned.min() + turned.max())
    away = float(np.hypot(box.at[0], box.at[1])) + 0.15
    top = box.at[2] - 0.5 * box.size[2]
    at = (away * np.cos(middle), away * np.sin(middle), top - 0.5 * _SHELF)
    return Cuboid((0.6, 1.2, _SHELF), (float(at[0]), float(at[1]), float(at[2])), middle)


# ---------------------------------------------------------------------- in the way


def motions(lab: Lab, random: np.random.Generator) -> Iterator[Motion]:
    """Some motions, each often enough to find something in its way."""
    for _ in range(_MOTIONS):
        motion = (free if random.random() < 0.3 else swinging)(lab, random)
        yield from (motion for _ in range(_OFTEN))


def in_the_way(
    lab: Lab,
    motion: Motion,
    random: np.random.Generator,
    without: frozenset[str],
    *,
    is_table: bool,
) -> Cuboid:
    """A body whose face a shape of the robot passes at some time, in the direction of its motion or from above."""
    geom = int(random.choice(lab.moving_geoms(without)))
    row = int(random.integers(len(motion.positions) // 5, len(motion.positions)))
    here = motion.positions[row]
    if is_table and random.random() < 0.5:
        deep = float(random.uniform(*PLANTED_DEEP))
        at = lab.support(here, geom, np.array((0.0, 0.0, -1.0)))
        size = (*random.uniform(0.2, 0.5, 2).tolist(), _SHELF)
        yaw = float(random.uniform(0.0, np.pi))
        middle = float(at[2]) + deep - 0.5 * _SHELF
        return Cuboid((size[0], size[1], size[2]), (float(at[0]), float(at[1]), middle), yaw)
    return _ahead(lab, motion, random, (geom, row), is_table=is_table)


def _ahead(
    lab: Lab,
    motion: Motion,
    random: np.random.Generator,
    which: tuple[int, int],
    *,
    is_table: bool,
) -> Cuboid:
    """A body beside a shape at some time, where the shape is going."""
    geom, row = which
    earlier = motion.positions[max(0, row - 10)]
    yaw = float(random.uniform(-np.pi, np.pi))
    up = np.array((0.0, 0.0, 1.0))
    way = lab.support(motion.positions[row], geom, up) - lab.support(earlier, geom, up)
    if np.hypot(way[0], way[1]) > 0.01:
        yaw = float(np.arctan2(way[1], way[0]))
    normal = np.array((np.cos(yaw), np.sin(yaw), 0.0))
    at = lab.support(motion.positions[row], geom, normal)
    spans = ((0.04, 0.3), (0.04, 0.3), (0.1, 0.5)) if is_table else ((0.05, 0.09),) * 3
    size = [float(random.uniform(*span)) for span in spans]
    deep = float(random.uniform(*(PLANTED_DEEP if is_table else (0.01, 0.05))))
    middle = at + (0.5 * size[0] - deep) * normal
    middle[2] += random.uniform(-0.3, 0.3) * size[2]
    if not is_table and random.random() < 0.8:  # by its upper end, with nothing of the arm below
        lowest = lab.support(motion.positions[row], geom, -up)
        middle = lowest + (0.5 * size[0] - deep) * normal
        middle[2] += random.uniform(0.01, 0.04) - 0.5 * size[2]
    x, y, z = middle.tolist()
    return Cuboid((size[0], size[1], size[2]), (x, y, z), yaw)


def entered(
    lab: Lab, motion: Motion, box: Cuboid, deep: float, never: frozenset[str] = frozenset()
) -> dict[str, tuple[float, float]]:
    """Links that get so deep into a box: when first, and how deep [m].

    None if one is there from the start on, or one gets there that never may.
    """
    rough = lab.distances(motion.positions[::8], box, 2 * CLEAR)  # spares most of the work
    near = {link: float(distances.min()) for link, distances in rough.items()}
    starts = min(float(distances[:3].min()) for distances in rough.values())
    if starts < CLEAR or min(near.values()) > CLEAR or _nearest_of(near, never) < 0.0:
        return {}
    found = {}
    for link, distances in lab.distances(motion.positions, box, 2 * CLEAR).items():
        if distances.min() < -deep:
            first = float(motion.seconds[int(np.argmax(distances < 0.0))])
            found[link] = first, float(-distances.min())
    return {} if found.keys() & never else found


def _nearest_of(near: Mapping[str, float], links: frozenset[str]) -> float:
    """How near any of some links comes [m]."""
    return min((near[link] for link in links if link in near), default=1.0)
