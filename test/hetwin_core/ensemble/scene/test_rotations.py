"""Angles of quaternions."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from hetwin_core.ensemble.scene.poses import roll_pitch_yaw, rotation_matrices


def _about(axis: int, angle: float) -> np.ndarray:
    quaternion = np.zeros((1, 4))
    quaternion[0, 0], quaternion[0, axis + 1] = np.cos(angle / 2), np.sin(angle / 2)
    return rotation_matrices(quaternion)[0]


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4))
def test_turned_about_x_then_y_then_z_by_its_angles_is_its_rotation(numbers: list[float]) -> None:
    length = float(np.linalg.norm(numbers))
    assume(length > 0.1)
    quaternions = np.array([numbers]) / length
    expected = rotation_matrices(quaternions)[0]
    assume(abs(expected[2, 0]) < 1 - 1e-9)  # at the poles roll and yaw are not known apart
    roll, pitch, yaw = roll_pitch_yaw(quaternions)[0]
    turned = _about(2, yaw) @ _about(1, pitch) @ _about(0, roll)
    np.testing.assert_allclose(turned, expected, atol=1e-9)
