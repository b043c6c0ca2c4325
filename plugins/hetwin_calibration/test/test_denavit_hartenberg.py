"""Tables derived from a URDF agree with an independent forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robot_chains import ARMS, by_mujoco, chain_of, postures

from hetwin_calibration.robot.denavit_hartenberg import DhTable, dh_table
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.screws import Segment


def multiplied(table: DhTable, positions: Floats) -> Floats:
    """(4, 4) of the end, written out from the definition of the convention."""
    whole = table.base
    for row, position in zip(table.rows, positions.tolist(), strict=True):
        theta = row.theta + (0.0 if row.slides else position)
        d = row.d + (position if row.slides else 0.0)
        about_z, about_x = np.eye(4), np.eye(4)
        about_z[:2, :2] = [[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]]
        about_z[2, 3] = d
        about_x[1:3, 1:3] = [
            [np.cos(row.alpha), -np.sin(row.alpha)],
            [np.sin(row.alpha), np.cos(row.alpha)],
        ]
        about_x[0, 3] = row.a
        whole = whole @ about_z @ about_x
    return np.asarray(whole @ table.tool)


@pytest.mark.parametrize("name", ARMS)
def test_tables_agree_with_mujoco(name: str) -> None:
    chain, other = chain_of(name), by_mujoco(name)
    table = dh_table(chain.segments)
    for positions in postures(chain, 10, 3):
        expected = other.matrix(chain.joints, positions)
        np.testing.assert_allclose(multiplied(table, positions), expected, atol=1e-9)
        np.testing.assert_allclose(table.place(positions).matrix, expected, atol=1e-9)


def test_the_arm_of_tiago_has_its_lengths() -> None:
    rows = dh_table(chain_of("tiago").segments).rows
    np.testing.assert_allclose([row.a for row in rows], [0.125, 0, 0.02, 0.02, 0, 0, 0], atol=1e-9)
    lengths = [-0.031, -0.015, -0.3115, 0.0, 0.312, 0.0, 0.0]
    np.testing.assert_allclose([row.d for row in rows], lengths, atol=1e-9)
    turned = [90.0, 90.0, 90.0, -90.0, 90.0, 90.0, 0.0]
    np.testing.assert_allclose(np.degrees([row.alpha for row in rows]), turned, atol=1e-6)


NUMBER = st.sampled_from([0.0, 0.0, 0.1, -0.4]) | st.floats(-1.0, 1.0)
TURNED = st.sampled_from([0.0, 0.5, -0.5, 1.0]) | st.floats(-1.0, 1.0)


@st.composite
def segments(draw: st.DrawFn) -> list[Segment]:
    """Parallel, intersecting and identical axes are as likely as others."""
    chain = []
    for i in range(draw(st.integers(1, 5))):
        place = [draw(NUMBER) for _ in range(3)]
        turn = np.array([draw(TURNED) for _ in range(4)])
        length = np.linalg.norm(turn)
        quaternion = turn / length if length > 0.1 else np.array([1.0, 0.0, 0.0, 0.0])
        axis = draw(st.sampled_from([(0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)]))
        pose = [*place, *quaternion.tolist()]
        chain.append(Segment(f"l{i}", pose, f"j{i}", slides=draw(st.booleans()), axis=axis))
    return chain


@given(segments(), st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_any_chain_has_a_table(chain: list[Segment], seed: int) -> None:
    positions = np.random.default_rng(seed).uniform(-2.0, 2.0, len(chain))
    expected = Chain(chain).place(positions)
    got = multiplied(dh_table(chain), positions)
    np.testing.assert_allclose(got[:3, 3], expected.position, atol=1e-6)
    np.testing.assert_allclose(got[:3, :3], expected.rotation, atol=1e-6)
