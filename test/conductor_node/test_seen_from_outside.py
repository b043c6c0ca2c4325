"""What RViz, Foxglove and other nodes find of a twin in a namespace, by the shipped layouts and with overridden QoS."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from rclpy.node import NodeNameNonExistentError
from rclpy.qos import QoSDurabilityPolicy, QoSReliabilityPolicy, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from support.ros_domains import new_domain
from support.ros_runs import environment
from support.warm_starts import WarmProcess
from support.watcher import Watcher, watching

from hetwin.msg import Registry

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = ROOT / "launch"
TABLETOP_ARM = ROOT / "urdf" / "tabletop_arm.urdf"
TWIN = "/left"
TOPICS = {
    *(f"{TWIN}/hetwin/{name}" for name in ("markers", "registry", "responsibilities", "state")),
    *(f"{TWIN}/hetwin/{name}" for name in ("events", "handovers")),
    *(f"{TWIN}/{name}" for name in ("clock", "diagnostics", "robot_description")),
    *(f"{TWIN}/{name}" for name in ("joint_states", "tf", "tf_static")),
}
"""What a twin publishes; found one by one."""
DISPLAYS = {
    "MarkerArray": "visualization_msgs/msg/MarkerArray",
    "RobotModel": "std_msgs/msg/String",
    "DiagnosticSummary": "diagnostic_msgs/msg/DiagnosticArray",
}
"""Kind of display or panel -> type of its topic."""
OVERRIDES = f"""
/**:
  ros__parameters:
    qos_overrides:
      {TWIN}/hetwin/state:
        publisher: {{reliability: best_effort, depth: 1}}
      {TWIN}/clock:
        publisher: {{reliability: best_effort}}
"""


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watcher]:
    """The demo in a namespace, held before its first step."""
    folder = tmp_path_factory.mktemp("twin")
    (folder / "qos.yaml").write_text(OVERRIDES, encoding="utf-8")
    domain = new_domain()
    parameters = {
        "scenario": "pick_and_place",
        "in_process": "all",
        "out": folder,
        "start_at_once": "true",
        "start_paused": "true",
    }
    given = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    command = [sys.executable, "-m", "conductor_node.main", "--ros-args"]
    command += ["-r", f"__ns:={TWIN}", "--params-file", str(folder / "qos.yaml"), *given]
    process = WarmProcess(command, env=environment(domain), text=True)
    try:
        with watching(domain, process) as watcher:
            registry = watcher.listen(Registry, f"{TWIN}/hetwin/registry", latched=True)
            watcher.wait(lambda: registry, "the registry")
            watcher.wait_for_all(TOPICS, lambda: published(watcher), "topics of the twin")
            yield watcher
    finally:
        process.terminate()
        process.wait(30)


def published(watcher: Watcher) -> dict[str, str]:
    """Topic -> type, of all that the twin publishes."""
    try:
        found = watcher.node.get_publisher_names_and_types_by_node("conductor", TWIN)
    except NodeNameNonExistentError:
        return {}
    return {name: types[0] for name, types in found}


def qos(twin: Watcher, topic: str) -> Any:
    """The QoS of the only publisher of a topic."""
    (info,) = twin.node.get_publishers_info_by_topic(topic)
    return info.qos_profile


def test_the_rviz_layout_shows_what_is_published(twin: Watcher) -> None:
    layout = yaml.safe_load((LAUNCH / "hetwin.rviz").read_text(encoding="utf-8"))
    topics = published(twin)
    shown = 0
    for display in layout["Visualization Manager"]["Displays"]:
        topic = display.get("Topic") or display.get("Description Topic")
        if topic is None:
            continue
        shown += 1
        kind = display["Class"].rpartition("/")[2]
        name = f"{TWIN}/{topic['Value']}"  # relative, as RViz is in the twin's namespace
        assert topics[name] == DISPLAYS[kind]
        latched = qos(twin, name).durability == QoSDurabilityPolicy.TRANSIENT_LOCAL
        assert latched or topic["Durability Policy"] == "Volatile"  # else they would not match
    assert shown == 3


def test_the_foxglove_layout_shows_what_is_published(twin: Watcher) -> None:
    layout = json.loads((LAUNCH / "foxglove_layout.json").read_text(encoding="utf-8"))
    topics = published(twin)
    panels = layout["configById"]
    assert json.dumps(layout["layout"]).count("!") == len(panels)
    seen = set()
    for name, panel in panels.items():
        for topic, *fields in re.findall(r'"/([\w/]+)((?:\.\w+)*)"', json.dumps(panel)):
            kind = topics[f"{TWIN}/{topic}"]
            seen.add(topic)
            assert kind == DISPLAYS.get(name.partition("!")[0], kind)
            message = message_class(kind)
            for field in filter(None, fields[0].split(".")):
                assert field in message.get_fields_and_field_types()
    assert seen == {
        "hetwin/markers",
        "hetwin/contacts",
        "hetwin/responsibilities",
        "hetwin/events",
        "hetwin/handovers",
        "diagnostics",
    }


def message_class(kind: str) -> Any:
    package, _, name = kind.partition("/msg/")
    return getattr(importlib.import_module(f"{package}.msg"), name)


def test_qos_is_as_the_parameters_say(twin: Watcher) -> None:
    assert qos(twin, f"{TWIN}/hetwin/state").reliability == QoSReliabilityPolicy.BEST_EFFORT
    assert qos(twin, f"{TWIN}/clock").reliability == QoSReliabilityPolicy.BEST_EFFORT
    assert qos(twin, f"{TWIN}/hetwin/events").reliability == QoSReliabilityPolicy.RELIABLE
    description = qos(twin, f"{TWIN}/robot_description")
    assert description.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL


def test_nothing_is_outside_the_namespace(twin: Watcher) -> None:
    outside = {topic for topic in published(twin) if not topic.startswith(f"{TWIN}/")}
    assert outside <= {"/rosout", "/parameter_events"}  # every node of ROS 2 has these


def test_joints_are_those_of_the_robot(twin: Watcher) -> None:
    states = twin.listen(message_class("sensor_msgs/msg/JointState"), f"{TWIN}/joint_states")
    twin.wait(lambda: states, "the robot's joints")
    robot = ET.fromstring(TABLETOP_ARM.read_text(encoding="utf-8"))
    moving = [j.get("name") for j in robot.iter("joint") if j.get("type") not in (None, "fixed")]
    assert sorted(states[0].name) == sorted(moving)
    assert len(states[0].position) == len(states[0].velocity) == len(moving)
    assert any(states[0].position)


def test_frames_are_those_of_the_robot_and_of_the_objects(twin: Watcher) -> None:
    frames_of = message_class("tf2_msgs/msg/TFMessage")
    moving = twin.listen(frames_of, f"{TWIN}/tf")
    fixed = twin.listen(frames_of, f"{TWIN}/tf_static", latched=True)
    descriptions = twin.listen(
        message_class("std_msgs/msg/String"), f"{TWIN}/robot_description", latched=True
    )
    twin.wait(lambda: moving, "frames that move")
    twin.wait(lambda: fixed, "frames that stand still")
    twin.wait(lambda: descriptions, "the robot's description")
    links = set(re.findall(r'<link\s+name="([^"]+)"', descriptions[0].data))
    frames = {t.child_frame_id: t for t in moving[-1].transforms}
    assert {"box", "gripper"} <= frames.keys()
    assert links - {"world"} <= frames.keys()  # as RViz's robot model needs them
    assert {t.header.frame_id for t in (*moving[-1].transforms, *fixed[0].transforms)} == {"world"}
    still = {t.child_frame_id for t in fixed[0].transforms}
    assert still
    assert not still & frames.keys()
    turn = frames["box"].transform.rotation
    assert turn.w**2 + turn.x**2 + turn.y**2 + turn.z**2 == pytest.approx(1.0)


def test_the_clock_of_a_paused_twin_stands(twin: Watcher) -> None:
    clocks: list[Clock] = []
    twin.node.create_subscription(Clock, f"{TWIN}/clock", clocks.append, qos_profile_sensor_data)
    twin.wait(lambda: len(clocks) >= 3, "three times")
    assert {(c.clock.sec, c.clock.nanosec) for c in clocks} == {(0, 0)}
