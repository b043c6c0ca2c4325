"""Ellipsoids of estimated poses."""

from __future__ import annotations

import numpy as np
import pytest
from transforms3d.quaternions import axangle2quat, quat2mat

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Floats
from hetwin_suite.view.layers import ATTRIBUTE, covariances, estimated_objects

POSE_COVARIANCE = AttributeSpec(ATTRIBUTE, 21, "m^2, m rad, rad^2")
LAYOUT = Layout.build(
    (Entity("hand", EntityKind.HAND), Entity("ball", EntityKind.OBJECT)),
    [("hand", POSE), ("ball", POSE), ("ball", POSE_COVARIANCE)],
)
TURNED = axangle2quat([0.0, 0.0, 1.0], 0.7)
SPREAD = np.array([[4e-6, 1e-6, 0.0], [1e-6, 9e-6, 2e-6], [0.0, 2e-6, 25e-6]])


def snapshot(spread: Floats, parent: int) -> Snapshot:
    values = np.zeros(LAYOUT.size)
    values[LAYOUT.range_of("hand", "pose")][3:7] = TURNED
    whole = np.zeros((6, 6))
    whole[:3, :3] = spread
    values[LAYOUT.range_of("ball", ATTRIBUTE)] = whole[np.triu_indices(6)]
    parents = np.full(3, -1, np.int32)
    parents[LAYOUT.slot_id("ball", "pose")] = parent
    return Snapshot(LAYOUT, ("in_hand",), 0, values, np.zeros(3, np.int32), parents)


@pytest.mark.parametrize("parent", [-1, 0])
def test_the_ellipsoid_is_the_covariance_in_the_world(parent: int) -> None:
    ((entity, *numbers),) = covariances(
        snapshot(SPREAD, parent), estimated_objects(LAYOUT)
    ).tolist()
    assert entity == 1.0
    radii, (x, y, z, w) = np.array(numbers[:3]), numbers[3:]
    axes = quat2mat([w, x, y, z])
    turn = quat2mat(TURNED) if parent == 0 else np.eye(3)
    expected = turn @ SPREAD @ turn.T
    assert np.allclose(axes @ np.diag((radii / 2.0) ** 2) @ axes.T, expected, atol=1e-12)


def test_without_an_estimate_there_is_none() -> None:
    assert covariances(snapshot(np.zeros((3, 3)), 0), estimated_objects(LAYOUT)).shape == (0, 8)
