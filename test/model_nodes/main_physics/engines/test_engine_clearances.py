"""Every engine measures how near a robot's links are to static bodies and to each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.small_worlds import HAND, PERIOD, at, box, box_link, floor, frame, gripper, loaded

from hetwin_core.ensemble.scene.values import Floats, ShapeKind
from model_nodes.main_physics.engines.engine import Engine, EngineSettings
from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Geometry,
    Inertial,
    Joint,
    JointKind,
    Link,
    Pose,
    World,
)

REACH = 0.005
LENGTH = 0.3


def bar(name: str, pose: Pose = IDENTITY, length: float = LENGTH) -> Link:
    """A link along x from its joint on, 4 cm thick, shorter than the next joint is far."""
    form = Geometry(ShapeKind.BOX, (length - 0.06, 0.04, 0.04), at(length / 2, 0, 0))
    return Link(name, pose, (form,), Inertial(1.0, at(length / 2, 0, 0), (0.01,) * 3 + (0.0,) * 3))


def arm(
    joints: int, pose: Pose = IDENTITY, limits: tuple[float | None, float | None] = (None, None)
) -> Body:
    """A chain of bars in a plane; joint i turns bar i about z."""
    links, hinges = [bar("base")], []
    for i in range(1, joints + 1):
        links.append(bar(f"bar{i}", at(LENGTH, 0, 0)))
        hinges.append(
            Joint(
                f"hinge{i}",
                JointKind.HINGE,
                links[-2].name,
                f"bar{i}",
                lower=limits[0],
                upper=limits[1],
            )
        )
    return Body("arm", tuple(links), tuple(hinges), pose, True, True)


def place(engine: Engine, *positions: float) -> None:
    engine.place_joints(np.array(positions, np.float64), np.zeros(len(positions)))


def near(engine: Engine, reach: float = REACH) -> dict[tuple[str, str], Floats]:
    rows = engine.clearances(reach)
    assert rows.shape[1] == 9
    names = engine.frames
    found = {(names[int(row[0])], names[int(row[1])]): row for row in rows}
    assert len(found) == len(rows)
    return found


TABLE = box("table", at(0.5, 0.0, -0.1), (0.4, 1.0, 0.2), static=True)
"""Its top is at z = 0."""


def lifted(engine: Engine, height: float) -> Engine:
    """An arm with its joint 1 above the table's middle, its lower side at this height."""
    return loaded(engine, TABLE, arm(1, at(0.0, 0.0, height + 0.02)))


def test_a_link_one_centimetre_inside_a_table_is_reported_so(engine: Engine) -> None:
    found = near(lifted(engine, -0.01))
    row = found["bar1", "table"]
    assert row[2] == pytest.approx(-0.01, abs=1e-6)
    assert row[6:9] == pytest.approx([0, 0, 1], abs=1e-6)
    assert row[5] == pytest.approx(0.0, abs=1e-6)
    assert 0.3 <= row[3] <= 0.6


def test_a_link_near_a_table_is_reported_within_reach_only(engine: Engine) -> None:
    lifted(engine, 0.003)
    row = near(engine)["bar1", "table"]
    assert row[2] == pytest.approx(0.003, abs=1e-6)
    assert row[6:9] == pytest.approx([0, 0, 1], abs=1e-6)
    assert near(engine, 0.002) == {}
    assert near(engine, 0.004).keys() == {("bar1", "table")}


@pytest.mark.parametrize("height", [0.02, 0.1, 0.4])
def test_any_reach_gives_the_exact_distance(engine: Engine, height: float) -> None:
    lifted(engine, height)
    assert near(engine, 0.8)["bar1", "table"][2] == pytest.approx(height, abs=1e-5)
    # Turned backwards, a corner of the bar is nearest, 0.01 / sqrt(2) beside the table's edge.
    place(engine, 3 * np.pi / 4)
    beside = 0.01 * np.sqrt(0.5)
    row = near(engine, 0.8)["bar1", "table"]
    assert row[2] == pytest.approx(np.hypot(height, beside), abs=1e-5)
    assert row[6:9] == pytest.approx(np.array([-beside, 0.0, height]) / row[2], abs=1e-3)
    assert row[3:6] == pytest.approx([0.3, beside * 5, 0.0], abs=1e-5)


def test_it_holds_for_the_current_posture(engine: Engine) -> None:
    loaded(engine, box("wall", at(0.3, 0.4, 0.0), (0.4, 0.1, 0.4), static=True), arm(1))
    assert near(engine) == {}
    place(engine, np.pi / 2)
    depth = LENGTH - 0.03 - 0.35
    assert near(engine, 0.2)["bar1", "wall"][2] == pytest.approx(-depth, abs=1e-6)


def test_a_fixed_base_inside_a_static_body_is_reported(engine: Engine) -> None:
    loaded(engine, box("block", at(0.15, 0.0, 0.0), static=True), arm(1))
    row = near(engine)["base", "block"]
    assert row[2] == pytest.approx(-0.07, abs=1e-6)
    assert near(engine, 0.006)["base", "block"][2] == pytest.approx(-0.07, abs=1e-6)


def test_a_plane_is_a_static_body(engine: Engine) -> None:
    loaded(engine, floor(), arm(1, at(0.0, 0.0, 0.017)))
    found = near(engine)
    assert found.keys() == {("base", "floor"), ("bar1", "floor")}
    assert found["bar1", "floor"][2] == pytest.approx(-0.003, abs=1e-6)


def test_free_bodies_and_the_robots_own_objects_are_not_measured(engine: Engine) -> None:
    loaded(engine, box("crate", at(0.45, 0.0, 0.0)), arm(1))
    assert near(engine, 1.0) == {}


def test_an_arm_folded_on_itself_touches_itself(engine: Engine) -> None:
    loaded(engine, arm(3))
    assert near(engine) == {}
    place(engine, 2 * np.pi / 3, 2 * np.pi / 3, 2 * np.pi / 3 + 0.1)
    found = near(engine)
    assert found.keys() == {("bar3", "base")}
    assert found["bar3", "base"][2] < -0.03


def test_neighbours_are_left_out(engine: Engine) -> None:
    loaded(engine, arm(2))
    place(engine, np.pi, 0.0)
    assert near(engine, 0.5) == {}


def test_links_of_one_hand_are_left_out(engine: Engine) -> None:
    plain = gripper()
    *links, right = plain.links
    *joints, close_right = plain.joints
    form = box_link("tip", (0.04, 0.02, 0.06), 0.1, 0.8)
    tip = Link("tip", IDENTITY, form.geometries, form.inertial)
    bend = Joint("bend", JointKind.HINGE, "left", "tip", (1.0, 0.0, 0.0))
    robot = replace(plain, links=(*links, tip, right), joints=(*joints, bend, close_right))
    hand = replace(HAND, members=(*HAND.members, "tip"))
    for hands, expected in (((), {("right", "tip")}), ((hand,), set())):
        engine.load(World("test", (robot,), hands=hands), EngineSettings(PERIOD))
        place(engine, 0.0, 0.0, 0.0, 0.11, 0.0, 0.09)
        assert near(engine).keys() == expected


def test_links_that_overlap_in_most_postures_are_left_out(engine: Engine) -> None:
    loaded(engine, arm(3, limits=(2 * np.pi / 3 - 0.05, 2 * np.pi / 3 + 0.05)))
    place(engine, 2 * np.pi / 3, 2 * np.pi / 3, 2 * np.pi / 3 + 0.1)
    assert near(engine) == {}


def test_measuring_changes_no_bit_of_the_simulation(engine: Engine) -> None:
    if not engine.deterministic:
        pytest.skip("no two runs of this engine are the same")
    traces = []
    for measured in (False, True):
        loaded(engine, TABLE, arm(3, at(0.0, 0.0, 0.02)), box("crate", at(0.5, 0.3, 0.06)))
        trace = b""
        for i in range(100):
            t = i * PERIOD
            engine.command_joints(np.full(3, t), np.ones(3), np.zeros(3))
            engine.step()
            if measured and i % 3 == 0:
                engine.clearances(REACH)
                engine.expected_efforts(np.full(3, t), np.ones(3), np.ones(3))
            trace += frame(engine, "crate").tobytes() + frame(engine, "bar3").tobytes()
        traces.append(trace)
    assert traces[0] == traces[1]


def test_a_static_body_that_is_added_is_measured(engine: Engine) -> None:
    lifted(engine, 0.2)
    assert near(engine) == {}
    engine.add(box("shelf", at(0.45, 0.0, 0.262), (0.1, 0.1, 0.04), static=True))
    assert near(engine)["bar1", "shelf"][2] == pytest.approx(0.002, abs=1e-6)
