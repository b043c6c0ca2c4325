"""A robot whose base follows odometry, as the main model drives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robot_files import TABLETOP_ARM

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import MainChanges, MainTick
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, pose_value
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.sources.part import BaseMotion, JointMotion, Part
from model_nodes.main_physics.world.description import Body

PERIOD_NS = 2_500_000
SPEED = 0.4
JUMP_NS = 100_000_000
ARM = {"urdf": str(TABLETOP_ARM), "name": "rover", "base": {"odometry": "/odom"}}


class Driving(Part):
    """Drives along x; after 100 ms its localization says that it is 5 cm further to the left."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        return ()

    @property
    def duration_ns(self) -> int:
        return 1_000_000_000

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        return np.zeros(len(joints), np.bool_)

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        self.bound = (robot.name, base.odometry, period_ns)

    def base(self, time_ns: int) -> BaseMotion:
        x, y = SPEED * time_ns * 1e-9, 0.05 if time_ns >= JUMP_NS else 0.0
        state = pose_value((x, y, 0), linear=(SPEED, 0, 0)).data
        odometry = pose_value((x, 0, 0), linear=(SPEED, 0, 0)).data
        return BaseMotion(state, odometry, "50 mm to the left" if time_ns == JUMP_NS else "")

    def motion(self, time_ns: int) -> JointMotion:
        raise AssertionError("no joint is bound")

    def events(self, time_ns: int) -> list[Event]:
        return []

    def ended(self, time_ns: int) -> bool:
        return time_ns >= self.duration_ns

    def close(self) -> None:
        pass


class Drive:
    """A main model with the driving source, step by step."""

    def __init__(self, **changes: Any) -> None:
        self.source = Driving()
        self.model = MainPhysics()
        given = {"robot": ARM, "source": self.source, "rate": 400.0, **changes}
        made = self.model.contribute(given, 0)
        attributes = made.attributes
        self.layout = Layout.build(made.entities, [(a.entity, a.attribute) for a in attributes])
        self.values: Floats = np.concatenate([a.value.data for a in attributes])
        self.time_ns = 0
        self.model.start(self.scene())

    def scene(self) -> Snapshot:
        slots = len(self.layout.slots)
        owners, parents = np.zeros(slots, np.int32), np.full(slots, -1, np.int32)
        return Snapshot(self.layout, ("physics",), self.time_ns, self.values, owners, parents)

    def step(self) -> MainChanges:
        self.time_ns += PERIOD_NS
        out = self.model.step(MainTick(self.time_ns, PERIOD_NS, self.scene()))
        self.values = out.block.copy()
        return out

    def pose(self, entity: str) -> Floats:
        at: Floats = self.values[self.layout.range_of(entity, "pose")]
        return at


def test_the_base_is_where_the_source_says_and_a_correction_is_an_event() -> None:
    drive = Drive()
    assert drive.source.bound == ("rover", "/odom", PERIOD_NS)
    events = []
    for _ in range(80):
        events += drive.step().events
        wanted = drive.source.base(drive.time_ns).state
        assert np.abs(drive.pose("rover") - wanted)[:7].max() < 1e-3
        assert drive.pose("rover")[7:] == pytest.approx(wanted[7:], abs=1e-4)
    assert [(event.name, event.time_ns, event.arguments) for event in events] == [
        ("base_corrected", JUMP_NS, {"object": "rover", "remark": "50 mm to the left"})
    ]
    drive.model.stop()


def test_its_links_go_with_it() -> None:
    drive = Drive()
    before = drive.pose("gripper_base").copy()
    for _ in range(80):
        drive.step()
    moved = drive.pose("gripper_base") - before
    assert moved[:3] == pytest.approx([0.08, 0.05, 0], abs=1e-4)
    drive.model.stop()


def test_without_a_source_nothing_moves_the_base() -> None:
    with pytest.raises(BadInput, match=r"robot.base.odometry.*nothing moves the base"):
        Drive(source=None)


def test_a_source_without_odometry_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Driving, "bind_base")
    with pytest.raises(BadInput, match="does not say how the base moves"):
        Drive()


def test_efforts_of_driven_joints_come_from_the_engine() -> None:
    group = {"joints": ["shoulder_lift_joint"], "mode": "velocity", "effort": 200.0}
    robot: dict[str, Any] = {"urdf": str(TABLETOP_ARM), "name": "rover", "drives": {"lift": group}}
    robot["joints_at_start"] = {"shoulder_lift_joint": 0.8}
    drive = Drive(robot=robot, source=None)
    for _ in range(40):
        drive.step()
    entity = next(e for e in drive.layout.entities if e.name == "rover")
    efforts = drive.values[drive.layout.range_of("rover", "joint_efforts")]
    borne = dict(zip(entity.joints, efforts.tolist(), strict=True))
    assert abs(borne["shoulder_lift_joint"]) > 1.0
    assert sum(effort != 0.0 for effort in borne.values()) == 1
    drive.model.stop()
