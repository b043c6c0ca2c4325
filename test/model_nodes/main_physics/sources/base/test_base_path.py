"""The smooth motion through poses: orientations, and twists that are its derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from transforms3d.euler import euler2quat
from transforms3d.quaternions import qinverse, qmult

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.base.path import PosePath

TIMES = np.arange(0, 4_000_000_001, 50_000_000)


def pose(seconds: float, pitch: float, beginning: tuple[float, ...]) -> list[float]:
    """It drives over bumps and turns more than once; where the first pose lies does not matter."""
    turned = euler2quat(
        0.2 * np.sin(3.0 * seconds), pitch * np.sin(2.0 * seconds), 2.5 * seconds, "sxyz"
    )
    quaternion = qmult(turned, euler2quat(*beginning))
    sign = -1.0 if round(seconds * 20) % 3 == 0 else 1.0
    return [np.sin(seconds), seconds, 0.1 * np.cos(seconds), *(sign * quaternion)]


def path(pitch: float, beginning: tuple[float, ...]) -> PosePath:
    return PosePath.through(TIMES, np.array([pose(t / 1e9, pitch, beginning) for t in TIMES]))


@pytest.mark.parametrize("beginning", [(0.0, 0.0, 0.0), (0.0, 0.0, 3.1), (1.5708, 0.0, 0.4)])
@pytest.mark.parametrize("pitch", [0.0, 0.3])
def test_it_goes_through_its_poses(pitch: float, beginning: tuple[float, ...]) -> None:
    states = path(pitch, beginning).at(TIMES)
    for time_ns, state in zip(TIMES, states, strict=True):
        expected = pose(time_ns / 1e9, pitch, beginning)
        np.testing.assert_allclose(state[:3], expected[:3], atol=1e-9)
        assert abs(np.dot(state[3:7], expected[3:7])) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("pitch", [0.0, 0.3])
def test_the_twist_is_the_derivative_of_the_pose(pitch: float) -> None:
    base, h = path(pitch, (0.3, 0.2, 0.1)), 1000
    middle = TIMES[5:-5] + 17_000_000
    states, before, after = (base.at(middle + step) for step in (0, -h, h))
    seconds = 2.0 * h / 1e9
    np.testing.assert_allclose(states[:, 7:10], (after[:, :3] - before[:, :3]) / seconds, atol=1e-5)
    np.testing.assert_allclose(states[:, 10:13], _turning(before, after, seconds), atol=1e-5)


def _turning(before: Floats, after: Floats, seconds: float) -> Floats:
    """(n, 3) angular velocity along the axes of the outer frame."""
    rows = [qmult(b[3:7], qinverse(a[3:7])) for a, b in zip(before, after, strict=True)]
    return np.array([2.0 * np.sign(q[0]) * q[1:] / seconds for q in rows])


def test_it_rests_before_and_after() -> None:
    states = path(0.3, (0.0, 0.0, 0.0)).at(np.array([-5_000_000_000, 9_000_000_000]))
    assert not states[:, 7:13].any()


def test_one_pose_is_a_place() -> None:
    one = PosePath.through(np.array([7]), np.array([[1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]]))
    state = one.at(np.array([0, 7, 9]))
    assert (state == [1, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]).all()
