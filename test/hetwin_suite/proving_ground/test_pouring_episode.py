"""The world, the program and the recording of the episode `pouring`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite._robots.motion import Program
from hetwin_suite._robots.reaching import Reacher
from hetwin_suite._worlds.solids import read_solids
from hetwin_suite.proving_ground import pouring, stand_in
from hetwin_suite.proving_ground.pouring_sdf import BOWL_AT, BOWL_RADIUS, JUG_AT
from hetwin_suite.proving_ground.pouring_sdf import pouring as world_text

ROOT = Path(__file__).resolve().parents[3]
ROBOT, WORLD = ROOT / "urdf" / "tabletop_arm.urdf", ROOT / "worlds" / "pouring.sdf"
EPISODE = ROOT / "scenarios" / "episodes" / "pouring"


@pytest.fixture(scope="module")
def reacher() -> Reacher:
    model = pouring.build(ROBOT, read_solids(WORLD), np.array([[0.0, 0.0, -0.04]]))
    return Reacher(model, stand_in.ARM_JOINTS, stand_in.HAND_LINK, stand_in.GRASP_OFFSET)


@pytest.fixture(scope="module")
def program(reacher: Reacher) -> Program:
    return pouring.plan(reacher)


def test_the_world_file_is_what_its_writer_writes() -> None:
    assert WORLD.read_text(encoding="utf-8") == world_text()


def test_the_hand_goes_to_the_jug_then_over_the_bowl(program: Program, reacher: Reacher) -> None:
    begin = {a.operation: a.time for a in program.announcements if a.phase == "begin"}
    points = program.set_points()

    def hand(operation: str) -> Floats:
        return reacher.point(points[round(begin[operation] / 0.004)])

    assert hand("move_hand") == pytest.approx(JUG_AT, abs=0.003)
    assert np.abs(hand("pour")[:2] - BOWL_AT[:2]).max() < 0.1
    assert hand("pour")[2] > BOWL_AT[2] + BOWL_RADIUS


def test_the_recording_is_small_and_its_jug_poured_all(program: Program) -> None:
    files = [path for path in EPISODE.iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 300_000
    truth = json.loads(EPISODE.with_name("pouring_truth.json").read_text(encoding="utf-8"))
    times, jug, bowl = np.array(truth["counts"]).T
    assert times[-1] == pytest.approx(program.now, abs=0.1)
    assert (jug[0], bowl[0]) == (truth["balls"], 0)
    assert jug[-1] == 0
    assert bowl[-1] >= 0.9 * truth["balls"]
