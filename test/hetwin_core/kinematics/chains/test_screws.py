"""Chains of real robots are where MuJoCo's own reader of their URDF places them, alone and many at once."""

from __future__ import annotations

import numpy as np
import pytest
from support.robot_chains import ARMS, by_mujoco, chain_of, postures

from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.screws import Screws, Segment

NOWHERE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("name", ARMS)
def test_the_end_is_where_mujoco_has_it(name: str) -> None:
    chain, other = chain_of(name), by_mujoco(name)
    many = postures(chain, 10, 1)
    position, rotation = Screws(chain.segments).place(many.T)
    for i, one in enumerate(many):
        expected = other.matrix(chain.joints, one)
        there = chain.place(one)
        np.testing.assert_allclose(there.position, expected[:3, 3], atol=1e-12)
        np.testing.assert_allclose(there.rotation, expected[:3, :3], atol=1e-12)
        np.testing.assert_allclose(position[:, i], expected[:3, 3], atol=1e-12)
        np.testing.assert_allclose(rotation[:, :, i], expected[:3, :3], atol=1e-12)


@pytest.mark.parametrize("name", ["tiago", "talos"])
def test_jacobians_of_many_are_those_of_one(name: str) -> None:
    chain = chain_of(name)
    many = postures(chain, 5, 2)
    moved, alone = Screws(chain.segments).move(many.T), chain.moving()
    for i, one in enumerate(many):
        alone.place(one)
        np.testing.assert_allclose(moved.jacobian[:, :, i], alone.jacobian(), atol=1e-12)


def finger() -> list[Segment]:
    """Two links of 1 m, the second of which turns twice as far as the first, less 0.1 rad; then a slide."""
    along = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    return [
        Segment("near", NOWHERE, "knuckle", lower=-1.0, upper=1.0),
        Segment(
            "far", along, "tip_joint", follows="knuckle", multiplier=2.0, offset=-0.1, upper=1.5
        ),
        Segment("nail", along, "slide", slides=True, axis=(0.0, 1.0, 0.0)),
    ]


def test_a_joint_that_mimics_another_moves_with_it_and_narrows_its_limits() -> None:
    chain, screws = Chain(finger()), Screws(finger())
    assert chain.joints == ("knuckle", "slide")
    np.testing.assert_allclose((chain.lower[0], chain.upper[0]), (-1.0, 0.8))
    at = np.array([0.3, 0.05])
    expected = [
        np.cos(0.3) + np.cos(0.8) - 0.05 * np.sin(0.8),
        np.sin(0.3) + np.sin(0.8) + 0.05 * np.cos(0.8),
        0.0,
    ]
    np.testing.assert_allclose(chain.place(at).position, expected, atol=1e-12)
    np.testing.assert_allclose(screws.place(at[:, None])[0][:, 0], expected, atol=1e-12)
    jacobian = screws.move(at[:, None]).jacobian[:, :, 0]
    alone = chain.moving()
    alone.place(at)
    np.testing.assert_allclose(jacobian, alone.jacobian(), atol=1e-12)
    assert jacobian[5, 0] == pytest.approx(3.0)  # both joints turn the end
