"""Simulated joint offsets of real robots are recovered, and outliers are listed."""

from __future__ import annotations

import numpy as np
import pytest
from support.robot_chains import chain_of, postures
from support.robot_files import data, example

from hetwin_calibration.arm.calibration import MeasuredMarkers, aligned, calibrate_arm
from hetwin_calibration.arm.markers import read_markers
from hetwin_calibration.arm.model import (
    MarkerModel,
    all_errors_of,
    offsets_of,
    rotations,
)
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.screws import Frame
from model_nodes.main_physics.world.robot_file import read_robot

ROOM = Frame(np.array([1.0, -0.4, 0.3]), rotations(np.array([[0.3, -0.2, 1.9]]))[0])
MARKER = np.array([0.03, -0.05, 0.11])


def markers_of(chain: Chain, positions: Floats, offsets: Floats) -> Floats:
    """Return the positions (m, 1, 3) of a marker on a chain with joint offsets."""
    places = []
    for row in positions + offsets:
        there = chain.place(row)
        places.append(ROOM.position + ROOM.rotation @ (there.position + there.rotation @ MARKER))
    return np.array(places)[:, None]


@pytest.mark.parametrize("name", ["xarm7"])
def test_made_up_offsets_are_found(name: str) -> None:
    chain = chain_of(name)
    generator = np.random.default_rng(3)
    positions = postures(chain, 40, 5)
    offsets = generator.normal(0.0, 0.03, len(chain.joints))
    measured = markers_of(chain, positions, offsets) + generator.normal(0.0, 0.001, (40, 1, 3))
    measured[[11, 30]] += np.array([0.06, -0.03, 0.02])
    found = calibrate_arm(
        chain.segments, offsets_of(chain.segments), MeasuredMarkers(positions, measured)
    )
    assert found.outliers == (11, 30)
    assert found.held_out_rms[1] < 0.004 < found.held_out_rms[0]
    unseen = postures(chain, 100, 6)
    truth = MeasuredMarkers(unseen, markers_of(chain, unseen, offsets))
    misses = found.calibrated.misses(chain.segments, truth)
    assert np.sqrt(np.mean(misses**2)) <= 0.0015


def test_derivatives_are_those_of_the_places() -> None:
    chain = chain_of("tiago")
    model = MarkerModel(
        chain.segments, all_errors_of(chain.segments), postures(chain, 3, 1), ROOM, 2
    )
    x = np.zeros(model.count)
    x[6:12] = [0.1, 0.0, 0.2, 0.0, -0.1, 0.05]
    exact = model.derivatives(x)
    for i in range(model.count):
        ends = [x.copy(), x.copy()]
        ends[0][i] -= 1e-6
        ends[1][i] += 1e-6
        numeric = (model.place(ends[1]) - model.place(ends[0])) / 2e-6
        np.testing.assert_allclose(exact[..., i], numeric, atol=1e-7)


def test_points_are_aligned() -> None:
    points = np.random.default_rng(2).normal(size=(10, 3))
    found = aligned(points, points @ ROOM.rotation.T + ROOM.position)
    np.testing.assert_allclose(found.rotation, ROOM.rotation, atol=1e-9)
    np.testing.assert_allclose(found.position, ROOM.position, atol=1e-9)


def tiago() -> Chain:
    robot = read_robot(example("tiago_description/robots/tiago.urdf"))
    return robot.chain("base_footprint", "arm_tool_link")


def test_a_real_arm_seen_by_one_system_of_cameras() -> None:
    chain = tiago()
    file = read_markers(data("tiago_mocap/qualysis_base_hand_calibration.csv"), chain)
    assert file.markers == (1, 2, 3)  # the fourth is the third once more
    assert {"x4", "y4", "z4"} == set(file.passed_over)
    found = calibrate_arm(chain.segments, offsets_of(chain.segments), file.measured)
    assert 9 in found.outliers
    assert len(found.outliers) <= 3
    assert found.held_out_rms[1] <= 0.005


@pytest.mark.parametrize(
    ("every", "most"), [(False, 0.012), pytest.param(True, 0.009, marks=pytest.mark.long)]
)
def test_a_real_arm_seen_by_another(every: bool, most: float) -> None:
    chain = tiago()
    file = read_markers(
        data("tiago_mocap/vicon_calibration_fc10_gripper3_base1_withrpy.csv"), chain
    )
    assert file.passed_over == ("phix1", "phiy1", "phiz1")
    kind = all_errors_of if every else offsets_of
    found = calibrate_arm(chain.segments, kind(chain.segments), file.measured)
    assert found.rms[0] == pytest.approx(0.0231, abs=0.0005)
    assert found.held_out_rms[1] <= most
