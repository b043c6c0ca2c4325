"""Distances between geoms are measured only where they can matter, and are the same as if all were measured."""

from __future__ import annotations

import mujoco as mj
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.random_examples import examples
from support.small_worlds import (
    PERIOD,
    at,
    ball,
    box,
    box_link,
    floor,
    gripper,
    loaded,
    rest,
    wedge,
)

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.engines.mujoco import distances
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.engines.mujoco.distances import SensedPairs, make_pairs
from model_nodes.main_physics.engines.mujoco.tables import make_tables
from model_nodes.main_physics.world.description import IDENTITY, Body, Link, World
from model_nodes.main_physics.world.notes import Notes

REACH = 0.02
MEASURED_TO = 0.07
"""Up to this distance pairs are measured: it decides about the bits of a result [m]."""


def table() -> Body:
    """A static body of three boxes."""
    legs = (at(0.3, 0, -0.2), at(-0.3, 0, -0.2))
    (top,) = box_link("table", (0.8, 0.6, 0.04), 1.0, None).geometries
    (leg,) = box_link("table", (0.05, 0.05, 0.4), 1.0, None).geometries
    forms = (top, *(leg.__class__(leg.kind, leg.size, pose=pose) for pose in legs))
    return Body("table", (Link("table", IDENTITY, forms),), (), at(0, 0, 0.4), True)


def cross() -> Body:
    """A free body of two boxes."""
    one = box_link("cross", (0.2, 0.04, 0.04), 0.5, None)
    (other,) = box_link("cross", (0.04, 0.2, 0.04), 0.5, None).geometries
    link = Link("cross", IDENTITY, (*one.geometries, other), one.inertial)
    return Body("cross", (link,), (), at(0.2, 0, 0.5))


class Scene:
    """A world whose positions tests set; `pairs` are those of its objects."""

    def __init__(self, *, plain: bool = False) -> None:
        third = ball("third", at(-0.1, 0.1, 0.5)) if plain else wedge("wedge", at(-0.1, 0.1, 0.5))
        bodies = (
            floor(),
            table(),
            cross(),
            box("box", at(0, 0, 0.48)),
            ball("ball", at(0.1, 0.05, 0.5)),
            third,
            gripper(at(0, 0, 0.6)),
        )
        world = World("test", bodies)
        self.model = Builder(world, EngineSettings(PERIOD), Notes()).compile()
        self.data = mj.MjData(self.model)
        self.tables = make_tables(world, self.model)
        self.objects = [b for free in self.tables.free.values() for b in free.members]
        self.pairs = make_pairs(self.model, self.data, self.tables, self.objects, REACH)
        assert isinstance(self.pairs, SensedPairs) is plain
        mj.mj_kinematics(self.model, self.data)

    def move(self, by: Floats) -> None:
        """Change velocities for one second: all positions change by so much."""
        mj.mj_integratePos(self.model, self.data.qpos, by, 1.0)
        mj.mj_kinematics(self.model, self.data)

    def pairs_of_geoms(self) -> list[tuple[int, int]]:
        """Each geom of an object with each of another body, planes first."""
        of, planes = self.model.geom_bodyid, mj.mjtGeom.mjGEOM_PLANE.value
        geoms = [g for g in range(self.model.ngeom) if of[g]]
        pairs = [
            (g, o) for b in self.objects for g in geoms if of[g] == b for o in geoms if of[o] != b
        ]
        return sorted(pairs, key=lambda pair: self.model.geom_type[pair[1]] != planes)

    def by_hand(self) -> list[tuple[tuple[int, int], float, tuple[float, ...]]]:
        """(bodies, distance, point) of all pairs of bodies within reach, by measuring every pair of geoms."""
        best: dict[tuple[int, int], tuple[float, tuple[float, ...]]] = {}
        order: dict[tuple[int, int], None] = {}
        segment = np.zeros(6)
        for geom, other in self.pairs_of_geoms():
            key = int(self.model.geom_bodyid[geom]), int(self.model.geom_bodyid[other])
            distance = mj.mj_geomDistance(self.model, self.data, other, geom, MEASURED_TO, segment)
            order[key] = None
            if distance < REACH and (key not in best or distance < best[key][0]):
                best[key] = distance, tuple(segment[:3].tolist())
        return [(key, *best[key]) for key in order if key in best]

    def found(self) -> list[tuple[tuple[int, int], float, tuple[float, ...]]]:
        return [(key, n.distance, n.point) for key, n in self.pairs.nearest().items()]


@examples(20)
@example(seed=0, scale=0.003, plain=True)  # deeper inside each other than a sensor reads
@given(
    seed=st.integers(0, 1000),
    scale=st.sampled_from([1e-7, 1e-4, 3e-3, 0.03, 0.3]),
    plain=st.booleans(),
)
def test_whatever_moves_the_nearest_are_those_of_all_pairs(
    seed: int, scale: float, plain: bool
) -> None:
    scene = Scene(plain=plain)
    draw = np.random.default_rng(seed)
    drift = scale * draw.standard_normal(scene.model.nv)
    for _ in range(30):
        scene.move(drift + 0.3 * scale * draw.standard_normal(scene.model.nv))
        if draw.random() < 0.1:
            drift = -drift
        if draw.random() < 0.7:
            assert scene.found() == scene.by_hand()


@pytest.mark.parametrize("plain", [False, True])
def test_at_other_positions_the_nearest_are_those_of_all_pairs_too(plain: bool) -> None:
    scene = Scene(plain=plain)
    scene.move(np.full(scene.model.nv, 0.01))
    expected, positions = scene.by_hand(), scene.data.qpos.copy()
    scene.move(np.full(scene.model.nv, -0.02))
    now = scene.by_hand()
    assert now != expected
    present = scene.data.qpos.copy()
    for at_, wanted in ((positions, expected), (present, now), (positions, expected)):
        there = scene.pairs.nearest_at(at_)
        assert [(key, n.distance, n.point) for key, n in there.items()] == wanted
        assert scene.found() == now


class Counter:
    """Counts the calls of MuJoCo's measurement."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls = 0
        measure = mj.mj_geomDistance

        def counted(*arguments: object) -> float:
            self.calls += 1
            return float(measure(*arguments))

        monkeypatch.setattr(distances.mj, "mj_geomDistance", counted)

    def taken(self) -> int:
        """The calls since the last time."""
        calls, self.calls = self.calls, 0
        return calls


def test_only_the_nearest_of_two_bodies_that_hardly_move_is_measured_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene, counter = Scene(), Counter(monkeypatch)
    near = len(scene.pairs.nearest())
    assert counter.taken() > 2 * near
    for _ in range(20):
        scene.move(np.full(scene.model.nv, 1e-6))
        scene.pairs.nearest()
        assert counter.taken() <= near + 1  # where two geoms are as near as each other


def test_what_moves_far_away_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, counter = Scene(), Counter(monkeypatch)
    scene.pairs.nearest()
    near = len(scene.pairs.nearest())
    away = np.zeros(scene.model.nv)
    away[scene.tables.free["ball"].velocity + 2] = 0.01
    counter.taken()
    for _ in range(40):
        scene.move(away)  # upwards, by 40 cm in all
        scene.pairs.nearest()
    assert counter.taken() < 40 * (near + 2)
    for _ in range(40):
        scene.move(away)
        near = len(scene.pairs.nearest())
    assert counter.taken() <= 40 * (near + 1)


def test_in_a_heap_at_rest_each_pair_that_is_near_is_measured_once_in_a_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = make_engine("mujoco")
    places = [
        (0.11 * x, 0.11 * y, 0.0505 + 0.101 * z)
        for x in range(3)
        for y in range(3)
        for z in range(3)
    ]
    boxes = [box(f"box {i}", at(*place)) for i, place in enumerate(places)]
    loaded(engine, floor(), *boxes)
    rest(engine, 40)
    assert len(engine.proximity()) > 2 * len(boxes)
    counter, near = Counter(monkeypatch), 0
    for _ in range(10):
        rest(engine, 1)
        near += len(engine.proximity())
    assert near <= counter.taken() < 1.1 * near
