"""The world, the program and the recording of the episode `pouring`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hetwin_core.ensemble.scene.values import Floats
from hetwin_stand_ins.motion import Program
from hetwin_stand_ins.reaching import ArmKinematics
from hetwin_stand_ins.solids import read_solids
from hetwin_tables import pouring, stand_in
from hetwin_tables.pouring import BOWL, JUG
from hetwin_tables.single_simulation import RADIUS, world_with

ROOT = Path(__file__).resolve().parents[3]
EPISODE = ROOT / "examples" / "hetwin_tables" / "scenarios" / "episodes" / "pouring"


@pytest.fixture(scope="module")
def reacher() -> ArmKinematics:
    model = pouring.build(np.array([[0.0, 0.0, -0.04]]))
    return ArmKinematics(model, stand_in.ARM_JOINTS, stand_in.HAND_LINK, stand_in.GRASP_OFFSET)


@pytest.fixture(scope="module")
def program(reacher: ArmKinematics) -> Program:
    return pouring.plan(reacher)


def test_jug_and_bowl_are_as_large_as_their_walls() -> None:
    assert (JUG.radius, JUG.height, JUG.friction) == pytest.approx((0.03, 0.1, 0.02))
    assert (BOWL.radius, BOWL.height) == pytest.approx((0.06, 0.08))
    assert JUG.at == pytest.approx((0.5, 0.16, 0.8))


def test_the_world_of_a_single_simulation_has_the_particles_in_the_jug(tmp_path: Path) -> None:
    file = tmp_path / "world.sdf"
    file.write_text(world_with(20), encoding="utf-8")
    particles = [solid for solid in read_solids(file) if solid.model.startswith("particle_")]
    assert len(particles) == 20
    mass = 1000 * 4 / 3 * np.pi * RADIUS**3
    for solid in particles:
        assert solid.mass == pytest.approx(mass, rel=1e-5)
        assert np.hypot(*(solid.position - JUG.at)[:2]) < JUG.radius


def test_the_hand_goes_to_the_jug_then_over_the_bowl(
    program: Program, reacher: ArmKinematics
) -> None:
    begin = {a.operation: a.time for a in program.announcements if a.phase == "begin"}
    points = program.set_points()

    def hand(operation: str) -> Floats:
        return reacher.point(points[round(begin[operation] / 0.004)])

    assert hand("move_hand") == pytest.approx(JUG.at, abs=0.003)
    assert np.abs(hand("pour")[:2] - BOWL.at[:2]).max() < 0.1
    assert hand("pour")[2] > BOWL.at[2] + BOWL.radius


def test_the_recording_is_small_and_its_jug_poured_all(program: Program) -> None:
    files = [path for path in EPISODE.iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 300_000
    truth = json.loads(EPISODE.with_name("pouring_truth.json").read_text(encoding="utf-8"))
    times, jug, bowl = np.array(truth["counts"]).T
    assert times[-1] == pytest.approx(program.now, abs=0.1)
    assert (jug[0], bowl[0]) == (truth["balls"], 0)
    assert jug[-1] == 0
    assert bowl[-1] >= 0.9 * truth["balls"]
