"""Twins that only follow the joints of real robots, compared with what was recorded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from support.robot_recordings import JOINT_STATES, Recording, needs
from support.twin_runs import twin_run

from hetwin_core.ensemble.resources import data_folder
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.episode import Episode

pytestmark = pytest.mark.slow

NS = 1_000_000_000


@dataclass(frozen=True)
class Robot:
    """A recording, and the scenario that replays it."""

    scenario: str
    folder: str
    joints: tuple[str, ...]
    ends: float
    duration: float | None = None
    """How much of the recording is replayed [s]; None: all."""


KUKA = Robot(
    "kuka_follow_joints", "kuka_lwr_mcap", tuple(f"lwr_arm_{i}_joint" for i in range(7)), 41.0
)
TIAGO = Robot(
    "tiago_follow_joints",
    "tiago_ident_mcap",
    ("torso_lift_joint", *(f"arm_{i}_joint" for i in range(1, 8))),
    30.0,
    30.0,
)
ROBOTS = [
    pytest.param(KUKA, id="kuka", marks=needs(KUKA.folder)),
    pytest.param(TIAGO, id="tiago", marks=needs(TIAGO.folder, robots=True)),
]


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request: pytest.FixtureRequest) -> Robot:
    found: Robot = request.param
    return found


@pytest.fixture(scope="module")
def recording(robot: Robot) -> Recording:
    return Recording.read(data_folder() / robot.folder)


@pytest.fixture(scope="module")
def twin(robot: Robot, tmp_path_factory: pytest.TempPathFactory) -> Episode:
    out = tmp_path_factory.mktemp(robot.scenario) / "run"
    return twin_run(robot.scenario, out, duration=robot.duration)


def by_stamp(recording: Recording, names: Sequence[str]) -> tuple[Floats, Floats]:
    """(n,) stamps in s since the first message was logged, (n, joints) positions."""
    times, rows = [], []
    for _, message in recording.messages[JOINT_STATES]:
        columns = [list(message.name).index(name) for name in names]
        times.append(message.header.stamp.sec * NS + message.header.stamp.nanosec)
        rows.append(message.position[columns])
    return (np.array(times) - recording.start_ns) / NS, np.array(rows)


def test_recording_runs_through(robot: Robot, twin: Episode) -> None:
    assert twin.summary["ended"] == "recording"
    assert twin.summary["error"] is None
    assert twin.seconds[-1] == pytest.approx(robot.ends, abs=0.1)
    assert np.diff(twin.seconds).max() < 0.0101


def test_all_recorded_joints_move(robot: Robot, twin: Episode, recording: Recording) -> None:
    assert set(recording.messages[JOINT_STATES][0][1].name) == set(robot.joints)
    for name in robot.joints:
        assert np.ptp(joint(twin, name)) > 1e-3, name


def test_joints_of_the_log_equal_the_recorded_ones(
    robot: Robot, twin: Episode, recording: Recording, record_property: pytest.RecordProperty
) -> None:
    seconds, positions = by_stamp(recording, robot.joints)
    worst = {}
    for column, name in enumerate(robot.joints):
        recorded = np.interp(twin.seconds, seconds, positions[:, column])
        worst[name] = float(np.abs(joint(twin, name) - recorded).max())
    record_property("worst", worst)
    print(f"worst of {robot.scenario}, in rad or m: {worst}")
    assert max(worst.values()) < 1e-3, worst


def test_log_tells_the_same_as_joint_states(robot: Robot, twin: Episode) -> None:
    with AnyReader([twin.run / "log"]) as reader:
        chosen = [c for c in reader.connections if c.topic == JOINT_STATES]
        messages = [reader.deserialize(raw, c.msgtype) for c, _, raw in reader.messages(chosen)]
    assert len(messages) == len(twin.times)
    for name in robot.joints:
        column = list(messages[0].name).index(name)
        np.testing.assert_array_equal([m.position[column] for m in messages], joint(twin, name))


@pytest.mark.parametrize("robot", [ROBOTS[0]], indirect=True)
def test_absent_meshes_are_warned_of_in_one_line(robot: Robot, twin: Episode) -> None:
    urdf = (data_folder() / robot.folder / "lwr.urdf").read_text(encoding="utf-8")
    meshes = set(re.findall(r'filename="(package://[^"]+)"', urdf))
    assert len(meshes) > 5
    (warning,) = (n.text for n in twin.notes if n.level == "warning" and "left out" in n.text)
    assert f"{len(meshes)} meshes" in warning
    assert f"{len(meshes)} of package lwr_defs" in warning


def joint(twin: Episode, name: str) -> Floats:
    """(n,) positions of a joint in the log."""
    (body,) = twin.layout.of_kind(EntityKind.ROBOT)
    return twin.attribute(body.name, "joint_positions")[:, body.joints.index(name)]
