"""A run with the model `consistency` says how twin and robot agreed, in its summary and by events."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from rclpy.node import Node
from sensor_msgs.msg import JointState
from support.robot_files import ROOT, data, example
from support.ros_domains import new_domain

import hetwin_suite
from hetwin_commanding.consistency.model import ConsistencyModel
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import CLEARANCES, Snapshot, Table, no_rows
from hetwin_core.ensemble.scene.values import AttributeSpec
from hetwin_core.ensemble.scene.watch import Watch, WatchLayout

SCENARIO = """
scenario: consistent
extends: {base}
models:
  physics: {{type: main_physics, main: true, engine: mujoco}}
  same: {{type: consistency, parameters: {{{parameters}}}}}
{more}
"""


def run(folder: Path, base: str, parameters: str, more: str = "") -> Any:
    path = folder / "consistent.yaml"
    text = SCENARIO.format(base=ROOT / "scenarios" / base, parameters=parameters, more=more)
    path.write_text(text, encoding="utf-8")
    return hetwin_suite.run(path, duration=2.0, out=folder / "out")


def test_a_replay_of_tiago_agrees_with_its_recording(tmp_path: Path) -> None:
    data("tiago_ident_mcap")
    example("tiago_description/robots/tiago.urdf")
    (robot,) = run(tmp_path, "tiago_follow_joints.yaml", "link: arm_tool_link").robots
    assert robot["name"] == "tiago"
    assert robot["base"]["start"] == robot["base"]["end"] == [0, 0, 0, 1, 0, 0, 0]
    assert 0.0 <= robot["consistency"]["joints"]["rms"] < 1e-3
    assert 0.0 <= robot["consistency"]["tip"]["max"] < 1e-3
    assert robot["consistency"]["base"] is None


def test_without_the_model_nothing_is_compared(tmp_path: Path) -> None:
    ended = hetwin_suite.run("pick_and_place", duration=0.1, out=tmp_path / "out")
    (robot,) = ended.robots
    assert robot["consistency"] is None


def test_a_joint_that_is_not_where_it_was_recorded_deviates_until_it_is() -> None:
    layout = layout_of_one_joint()
    model = ConsistencyModel()
    model.contribute({"watch": WATCHED.to_json(), "joints": 0.05}, 1)
    model.start(scene_of(layout, 0, np.zeros(2)))
    events: list[Any] = []
    for i in range(1, 40):
        time_ns, off = 40_000_000 * i, 0.06 if 10 <= i < 20 else 0.001
        unknown = np.full(1, np.nan)
        watch = Watch(time_ns, np.full(1, off), unknown, unknown, unknown, no_rows(CLEARANCES))
        scene = scene_of(layout, time_ns, np.zeros(2), watch.tables())
        events += model.step(Tick(time_ns, 40_000_000, scene)).events
    deviates, agrees = events
    assert (deviates.name, deviates.time_ns) == ("deviates", 11 * 40_000_000)
    assert deviates.arguments == {
        "robot": "arm",
        "what": "a",
        "difference": 0.06,
        "limit": 0.05,
    }
    assert agrees.name == "agrees"
    assert agrees.arguments == {"robot": "arm", "what": "a", "from": 0.44}


WATCHED = WatchLayout((("arm", 1),), ("a",), (True,), (None,), (None,), (None,), (None,))


def layout_of_one_joint() -> Layout:
    specs = [AttributeSpec(name, 1) for name in ("joint_positions", "joint_velocities")]
    entity = Entity("arm", EntityKind.ROBOT, joints=("a",))
    return Layout.build([entity], [("arm", spec) for spec in specs])


def scene_of(
    layout: Layout, time_ns: int, values: np.ndarray, tables: Mapping[str, Table] | None = None
) -> Snapshot:
    owners = np.zeros(2, np.int32)
    return Snapshot(layout, ("m",), time_ns, values, owners, owners - 1, tables or {})


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ("of: other", r"parameters.of: .*no such robot.*tabletop_arm"),
        ("link: grip", r"parameters.link: .*no such link; found 'grip'"),
        ("joints: 0", r"parameters.joints: .*greater than 0"),
    ],
)
def test_what_is_not_there_is_refused(tmp_path: Path, parameters: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        run(tmp_path, "pick_and_place.yaml", parameters, "triggers: []")


class Robot:
    """Publishes the twin's joint, a little late, and off by what a test says."""

    def __init__(self) -> None:
        self.node = Node("robot")
        self.offset = 0.0
        self.over = threading.Event()
        self._publisher = self.node.create_publisher(JointState, "beside/joint_states", 10)
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self.over.wait(0.01):
            now = time.time()
            position = joint(time.monotonic() - 0.02)[0] + self.offset
            message = JointState(name=["a"], position=[position])
            seconds, nanoseconds = divmod(int(now * 1e9), 10**9)
            message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
            self._publisher.publish(message)


def joint(at: float) -> tuple[float, float]:
    """Position and velocity of the twin's joint, by the monotonic clock."""
    return float(0.2 * np.sin(at)), float(0.2 * np.cos(at))


@pytest.fixture
def robot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Robot]:
    domain = new_domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    rclpy.init(args=[], domain_id=domain)
    robot = Robot()
    robot.thread.start()
    yield robot
    robot.over.set()
    robot.thread.join()
    robot.node.destroy_node()
    rclpy.try_shutdown()


def test_a_robot_that_obeys_beside_the_twin_is_heard(robot: Robot) -> None:
    layout = layout_of_one_joint()
    model = ConsistencyModel()
    model.contribute({"watch": WATCHED.to_json(), "robot": "beside", "joints": 0.05}, 1)
    events: list[Any] = []
    begun, value = time.monotonic(), np.zeros(0)

    def step_until(name: str) -> None:
        nonlocal value
        deadline = time.monotonic() + 20.0
        while not any(event.name == name for event in events):
            assert time.monotonic() < deadline, f"no event {name}; {events}"
            time.sleep(0.02)
            now = time.monotonic()
            time_ns = round((now - begun) * 1e9)
            scene = scene_of(layout, time_ns, np.array(joint(now)))
            output = model.step(Tick(time_ns, 20_000_000, scene))
            events.extend(output.events)
            value = output.values["arm", "consistency"].data
            if name == "heard" and value[0] >= 0.0 and now - begun > 1.0:
                return

    try:
        model.start(scene_of(layout, 0, np.zeros(2)))
        step_until("heard")
        assert [event.name for event in events] == []
        assert value[0] < 0.02
        robot.offset = 0.1
        step_until("deviates")
        robot.offset = 0.0
        step_until("agrees")
    finally:
        model.stop()
    assert events[0].arguments["what"] == "a"
