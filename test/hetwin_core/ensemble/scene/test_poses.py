"""Poses: `relative_to` inverts `compose`, and both agree with transforms3d."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples
from transforms3d import quaternions

from hetwin_core.ensemble.scene import poses
from hetwin_core.ensemble.scene.values import Floats, pose_value

number = st.floats(-10, 10, allow_nan=False, width=32)
vector = st.tuples(number, number, number)
unit = st.tuples(number, number, number, number).filter(lambda q: sum(x * x for x in q) > 0.1)


@st.composite
def a_pose(draw: st.DrawFn) -> Floats:
    q = poses.normalized(draw(unit))
    return pose_value(draw(vector), q, draw(vector), draw(vector)).data


quick = examples(100)


def matrix(pose: Floats) -> Floats:
    found = np.eye(4)
    found[:3, :3] = quaternions.quat2mat(pose[3:7])
    found[:3, 3] = pose[:3]
    return found


def close(a: Floats, b: Floats) -> bool:
    same = b.copy()
    if a[3:7] @ b[3:7] < 0:
        same[3:7] *= -1
    return bool(np.allclose(a, same, atol=1e-9, rtol=1e-9))


@quick
@given(a_pose(), a_pose())
def test_relative_to_inverts_compose(parent: Floats, other: Floats) -> None:
    assert close(poses.relative_to(parent, poses.compose(parent, other)), other)
    assert close(poses.compose(parent, poses.relative_to(parent, other)), other)


@quick
@given(a_pose(), a_pose())
def test_compose_multiplies_the_matrices(parent: Floats, relative: Floats) -> None:
    found = poses.compose(parent, relative)
    assert np.allclose(matrix(found), matrix(parent) @ matrix(relative), atol=1e-9)
    assert poses.is_pose(found)


@quick
@given(a_pose(), a_pose())
def test_the_composed_twist_is_what_small_steps_give(parent: Floats, relative: Floats) -> None:
    step = 1e-6
    now = poses.compose(parent, relative)
    # the relative motion goes on in the parent's frame, which goes on itself
    then = poses.compose(poses.extrapolate(parent, step), poses.extrapolate(relative, step))
    before = poses.compose(poses.extrapolate(parent, -step), poses.extrapolate(relative, -step))
    assert np.allclose((then[:3] - before[:3]) / (2 * step), now[7:10], atol=1e-3, rtol=1e-5)
    turned = quaternions.qmult(then[3:7], quaternions.qconjugate(before[3:7]))
    turned = turned * np.sign(turned[0])
    assert np.allclose(turned[1:] / step, now[10:13], atol=1e-3, rtol=1e-5)


@quick
@given(a_pose(), a_pose(), a_pose())
def test_composing_is_associative(a: Floats, b: Floats, c: Floats) -> None:
    left = poses.compose(poses.compose(a, b), c)
    right = poses.compose(a, poses.compose(b, c))
    assert np.allclose(left[:7], right[:7], atol=1e-8)
    assert np.allclose(left[7:], right[7:], atol=1e-6)


@quick
@given(unit, vector)
def test_rotating_agrees_with_transforms3d(q: tuple[float, ...], v: tuple[float, ...]) -> None:
    unit_q = poses.normalized(q)
    assert np.allclose(poses.rotate(unit_q, v), quaternions.rotate_vector(v, unit_q), atol=1e-9)
    assert np.allclose(poses.multiply(unit_q, q), quaternions.qmult(unit_q, q), atol=1e-9)


@quick
@given(vector.filter(lambda v: 1e-3 < np.linalg.norm(v) < 3.1))
def test_a_rotation_vector(v: tuple[float, ...]) -> None:
    angle = float(np.linalg.norm(v))
    expected = quaternions.axangle2quat(np.array(v) / angle, angle)
    assert np.allclose(poses.rotation_by(v), expected, atol=1e-12)


@quick
@given(a_pose(), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_extrapolating_twice_is_extrapolating_once(pose: Floats, a: float, b: float) -> None:
    twice = poses.extrapolate(poses.extrapolate(pose, a), b)
    assert close(twice, poses.extrapolate(pose, a + b))


def test_no_time_changes_no_bit() -> None:
    pose = pose_value((0.1, 0.2, 0.3), (0.6, 0.8, 0.0, 0.0), (1, 2, 3), (4, 5, 6)).data
    assert poses.extrapolate(pose, 0.0).tobytes() == pose.tobytes()


@pytest.mark.parametrize(
    "data",
    [np.zeros(13), np.ones(7), np.full(13, np.nan), pose_value((np.inf, 0, 0)).data],
)
def test_what_is_no_pose(data: Floats) -> None:
    assert not poses.is_pose(data)
