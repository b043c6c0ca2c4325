"""How MuJoCo parts what overlaps: also thin forms, and what begins to collide where it is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support.small_worlds import PERIOD, at, box, everything, floor, frame, gripper, loaded, rest

from hetwin_core.ensemble.scene.values import ShapeKind, pose_value
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Geometry,
    Inertial,
    Link,
    Pose,
)

THICKNESS = 0.001
PARTING = 0.01
"""Speed at which overlapping bodies are parted [m/s]."""
ALLOWED = 1.5 * PARTING


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = make_engine("mujoco")
    yield engine
    engine.close()


def discs(name: str, pose: Pose, radii: list[float], thickness: float = THICKNESS) -> Body:
    """An upright stack of discs; the origin is in the middle of its lower face."""
    forms = tuple(
        Geometry(
            ShapeKind.CYLINDER, (radius, thickness), at(0, 0, (i + 0.5) * thickness), friction=0.3
        )
        for i, radius in enumerate(radii)
    )
    inertial = Inertial(0.1, at(0, 0, 0.01), (1e-4, 1e-4, 1e-4, 0.0, 0.0, 0.0))
    return Body(name, (Link(name, IDENTITY, forms, inertial),), (), pose)


def plug(pose: Pose) -> Body:
    return discs("object", pose, [0.004 + 0.0004 * i for i in range(20)])


def coin(pose: Pose) -> Body:
    return discs("object", pose, [0.01])


def block(height: float) -> Body:
    """A static box whose upper face is at z = 0."""
    return box("block", at(0, 0, -height / 2), (0.1, 0.1, height), static=True)


def heights_and_speeds(engine: Engine, seconds: float) -> tuple[list[float], list[float]]:
    """Height [m] and speed [m/s] of the object after each step."""
    heights, speeds = [], []
    for _ in range(round(seconds / PERIOD)):
        rest(engine, 1)
        pose = frame(engine, "object")
        heights.append(float(pose[2]))
        speeds.append(float(np.linalg.norm(pose[7:10])))
    return heights, speeds


def hand_back(engine: Engine, depth: float) -> None:
    value = pose_value((0, 0, -depth))
    engine.follow("object", value)
    engine.hand_back("object", value)


def assert_parted_slowly(engine: Engine, depth: float) -> None:
    heights, speeds = heights_and_speeds(engine, 0.5 * depth / PARTING)
    assert max(speeds) < ALLOWED
    assert heights[-1] == pytest.approx(
        -depth / 2, abs=5e-4
    )  # at 1 cm/s, neither faster nor slower
    assert min(heights) > -depth - 5e-4  # nor through it
    heights, speeds = heights_and_speeds(engine, 0.5 * depth / PARTING + 0.2)
    assert max(speeds) < ALLOWED
    assert heights[-1] == pytest.approx(0, abs=5e-4)
    assert speeds[-1] < 1e-3


@pytest.mark.parametrize("depth", [0.0005, 0.003, 0.009])
@pytest.mark.parametrize("solver", ["newton", "cg", "pgs"])
def test_a_stack_of_thin_discs_is_parted_slowly(engine: Engine, depth: float, solver: str) -> None:
    loaded(engine, block(0.04), plug(at(0, 0, 0.1)), options={"solver": solver})
    hand_back(engine, depth)
    assert_parted_slowly(engine, depth)
    (remark,) = engine.take_remarks()
    assert remark.text == f"overlap by {1e3 * depth:.2f} mm; they are parted slowly"


@pytest.mark.parametrize(
    "options", [{"cone": "pyramidal"}, {"contacts": "plain"}, {"sleep": True}], ids=str
)
def test_the_settings_of_contacts_change_nothing(
    engine: Engine, options: dict[str, object]
) -> None:
    loaded(engine, block(0.04), plug(at(0, 0, 0.1)), options=options)
    hand_back(engine, 0.009)
    assert_parted_slowly(engine, 0.009)


def test_a_single_thin_disc_neither_falls_through_nor_is_shot_out(engine: Engine) -> None:
    loaded(engine, block(0.04), coin(at(0, 0, 0.1)))
    hand_back(engine, 0.004)
    assert_parted_slowly(engine, 0.004)


def test_a_thick_object_is_parted_slowly_from_a_thin_plate(engine: Engine) -> None:
    loaded(engine, block(0.003), discs("object", at(0, 0, 0.1), [0.02], 0.06))
    hand_back(engine, 0.004)
    assert_parted_slowly(engine, 0.004)


def test_a_wall_that_is_overlapped_does_not_let_the_object_sink_into_the_floor(
    engine: Engine,
) -> None:
    # Floor and wall are one body.
    low = Geometry(ShapeKind.BOX, (1.0, 1.0, 0.1), at(0, 0, -0.05), friction=0.3)
    wall = Geometry(ShapeKind.BOX, (0.1, 1.0, 1.0), at(0.05, 0, 0.5), friction=0.3)
    corner = Body(
        "corner", (Link("corner", IDENTITY, (low, wall), Inertial(1.0)),), (), IDENTITY, True
    )
    loaded(engine, corner, box("object", at(-0.2, 0, 0.2)))
    value = pose_value((-0.04, 0, 0.05))  # 1 cm inside the wall
    engine.follow("object", value)
    engine.hand_back("object", value)
    heights, speeds = heights_and_speeds(engine, 1.3)
    assert max(speeds) < 3 * PARTING  # it rubs along the wall
    assert min(heights) > 0.05 - 5e-4
    assert frame(engine, "object")[0] == pytest.approx(-0.05, abs=5e-4)


def test_what_begins_to_collide_inside_another_body_is_parted_slowly(engine: Engine) -> None:
    loaded(engine, block(0.04), plug(at(0, 0, 0.1)))
    engine.set_collision("object", False)
    hand_back(engine, 0.009)
    assert engine.take_remarks() == []
    engine.set_collision("object", True)
    assert_parted_slowly(engine, 0.009)
    (remark,) = engine.take_remarks()
    assert (remark.name, remark.other) == ("object", "block")


def test_what_begins_to_collide_inside_a_finger_passes_through_it(engine: Engine) -> None:
    held = box("object", at(0, 0.008, 1), (0.05, 0.05, 0.06))
    loaded(engine, floor(), held, gripper(at(0, 0, 1), gap=0.06), hands=True)
    engine.set_collision("object", False)
    engine.set_collision("object", True)
    assert [(r.name, r.other) for r in engine.take_remarks()] == [("object", "left")]
    rest(engine, 40)
    pose = frame(engine, "object")
    assert np.abs(pose[7:9]).max() < 1e-6
    assert pose[9] == pytest.approx(-9.81 * 40 * PERIOD, rel=1e-3)


def test_what_another_model_moves_is_not_parted_when_it_begins_to_collide(engine: Engine) -> None:
    loaded(engine, block(0.04), plug(at(0, 0, 0.1)))
    engine.follow("object", pose_value((0, 0, -0.005)))
    engine.set_collision("object", False)
    engine.set_collision("object", True)
    assert engine.take_remarks() == []
    hand_back(engine, 0.005)
    assert_parted_slowly(engine, 0.005)


def test_a_former_overlap_does_not_matter_to_what_stops_to_collide(engine: Engine) -> None:
    loaded(engine, block(0.04), plug(at(0, 0, 0.1)))
    hand_back(engine, 0.009)
    engine.set_collision("object", False)
    value = pose_value((0, 0, 0.005))
    engine.follow("object", value)
    engine.set_collision("object", True)
    engine.hand_back("object", value)
    heights, _ = heights_and_speeds(engine, 0.3)
    assert min(heights) > -1e-3


@pytest.mark.parametrize("passed", [0, 1, 100])
def test_parting_goes_on_from_a_saved_state(engine: Engine, passed: int) -> None:
    loaded(engine, block(0.04), plug(at(0, 0, 0.1)))
    hand_back(engine, 0.009)
    rest(engine, passed)
    saved = engine.save()
    rest(engine, 100)
    expected = everything(engine)
    value = pose_value((0, 0, 0.3))
    engine.follow("object", value)
    rest(engine, 10)
    engine.restore(saved)
    rest(engine, 100)
    assert everything(engine).tobytes() == expected.tobytes()


def test_parting_goes_on_when_the_world_changes(engine: Engine) -> None:
    loaded(engine, block(0.04), plug(at(0, 0, 0.1)))
    hand_back(engine, 0.009)
    rest(engine, 40)
    engine.add(box("new", at(0.5, 0, 0.1), static=True))
    heights, speeds = heights_and_speeds(engine, 1.0)
    assert max(speeds) < ALLOWED
    assert heights[-1] == pytest.approx(0, abs=5e-4)
