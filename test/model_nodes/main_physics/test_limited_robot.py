"""A whole robot with limited drives, as the main model moves it: exact in free space, stopped by a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robot_files import ROOT, TABLETOP_ARM

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import MainTick
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.sources.part import JointMotion, Part

PERIOD_NS = 2_500_000
JOINTS = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_pitch_joint")
LIFT = 1


class Motion(Part):
    """Every joint to and fro; or the shoulder down until the arm points into the table."""

    joint_names = JOINTS
    duration_ns = None

    def __init__(self, down: bool) -> None:
        self._down = down

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        self._at = [joints.index(name) for name in JOINTS]
        self._count = len(joints)
        return np.array([name in JOINTS for name in joints])

    def wanted(self, time_ns: int) -> Floats:
        """Position, velocity and acceleration of the joints."""
        t, w = time_ns * 1e-9, 3.0
        if self._down:
            depth = np.array([0.0, 1.0, 0.0, 0.0])
            return np.outer([min(0.8 * t, 2.2), 0.8 * (t < 2.75), 0.0], depth)
        ways = np.array([0.5, 0.4, 0.6, 0.8])
        return np.outer([np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)], ways)

    def motion(self, time_ns: int) -> JointMotion:
        every = np.zeros((3, self._count))
        every[:, self._at] = self.wanted(time_ns)
        return JointMotion(*every, np.full(self._count, np.nan))

    def events(self, time_ns: int) -> list[Event]:
        return []

    def ended(self, time_ns: int) -> bool:
        return False

    def close(self) -> None:
        """There is nothing to close."""


def moved(source: Motion, seconds: float, **drive: Any) -> tuple[Floats, Floats]:
    """Positions of the joints and efforts after each step, (n, 4) each."""
    group = {"joints": ["*_joint"], "mode": "limited", **drive}
    robot = {"urdf": str(TABLETOP_ARM), "drives": {"arm": group}}
    model = MainPhysics()
    start = model.contribute(
        {"world": str(ROOT / "worlds" / "tabletop.sdf"), "robot": robot, "source": source}, 0
    )
    layout = Layout.build(start.entities, ((a.entity, a.attribute) for a in start.attributes))
    nothing = np.zeros(len(layout.slots), np.int32)
    scene = Snapshot(layout, ("physics",), 0, np.zeros(layout.size), nothing, nothing)
    robot_of = next(e for e in layout.entities if e.joints)
    where = [robot_of.joints.index(name) for name in JOINTS]
    names = ("joint_positions", "joint_efforts")
    ranges = [layout.range_of(robot_of.name, name) for name in names]
    rows = []
    for i in range(1, round(seconds * 1e9 / PERIOD_NS) + 1):
        block = model.step(MainTick(i * PERIOD_NS, PERIOD_NS, scene)).block
        assert block is not None
        rows.append([block[one][where] for one in ranges])
    model.stop()
    table = np.array(rows)
    return table[:, 0], table[:, 1]


def test_in_free_space_a_limited_arm_is_where_it_is_commanded_to_be() -> None:
    source = Motion(down=False)
    positions, efforts = moved(source, 2.0, effort=200.0)
    wanted = np.array([source.wanted((i + 1) * PERIOD_NS)[0] for i in range(len(positions))])
    assert np.abs(positions - wanted).max() < 1e-3
    most = np.abs(efforts).max(axis=0)
    assert (most > 0.1).all()
    assert (most < 200.0).all()


def test_a_limited_arm_stops_at_the_table_with_its_limit() -> None:
    positions, efforts = moved(Motion(down=True), 4.0, effort=60.0)
    stopped = positions[-1, LIFT]
    assert 0.5 < stopped < 2.0
    assert positions[-200:, LIFT] == pytest.approx(stopped, abs=1e-3)
    assert abs(efforts[-1, LIFT]) == pytest.approx(60.0, abs=1e-6)
