"""Writes reference/ros.md: topics, services, QoS and parameters, as the nodes themselves declare them.

Usage: make_ros_reference.py [FILE]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy

from conductor_node.node import ConductorNode
from conductor_node.publisher import Publisher
from conductor_node.status import StatusPublisher
from hetwin_core.ensemble import topics
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.scans import ScanPattern
from hetwin_core.ensemble.scene.values import ODOMETRY, POSE
from hetwin_core.wire import names
from model_nodes.main_physics.sources.live.link import RobotLink
from model_nodes.ros_node.node import ModelNode

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PAGE = DOCS / "reference" / "ros.md"
HEAD = """\
# Topics, services and parameters

Written by `docs/make_ros_reference.py` from the nodes. All names are relative to the namespace, those with `~` to the
node. How to use them is in [the ROS 2 interface](../ros_interface.md); how to start each node by hand in
[the nodes by hand](../nodes_by_hand.md).
"""
_SCAN = ScanPattern("lidar", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), -1.0, 1.0, 2, 0.0, 1.0, 10.0)
_MOBILE = Layout.build(
    [
        Entity("robot", EntityKind.ROBOT),
        Entity("base_link", EntityKind.LINK, owner="robot", scanner=_SCAN),
    ],
    [("base_link", POSE), ("robot", ODOMETRY), ("base_link", _SCAN.attribute)],
)
"""A robot with all topics that a robot may have."""
OF_THE_NODES = ("rosout", "parameter_events", "transition_event")
"""What every (managed) node of ROS 2 has."""
ABOUT = {
    topic.name: topic.about for topic in vars(topics).values() if isinstance(topic, topics.Topic)
}
OF_A_MODEL = {
    f"~/{names.CALL}": "a call of the model, from a conductor that shares no memory with it",
    f"~/{names.OUTPUT}": "the result of a call, or of a step that the conductor does not wait for",
}


def make_page() -> str:
    """The whole page, in Markdown."""
    rclpy.init(
        args=["--ros-args", "--log-level", "fatal"],
        signal_handler_options=rclpy.SignalHandlerOptions.NO,
    )
    try:
        conductor, model = ConductorNode(), ModelNode("model")
        Publisher(conductor).offer(_MOBILE)
        StatusPublisher(conductor, conductor.run)
        robot = RobotLink("", [topics.JOINT_STATES.name], _ignore, {}, {}, lambda: (b"\0", "", {}))
        try:
            parts = [HEAD, *_conductor(conductor), *_model(model), *_robot(robot)]
            parts = [part.replace(conductor.run, "TOKEN") for part in parts]
        finally:
            robot.close()
            model.destroy_node()
            conductor.destroy_node()
    finally:
        rclpy.try_shutdown()
    return "\n".join(parts)


def _ignore(_message: Any, _arrival_ns: int) -> None:
    """A callback of a subscription that gets nothing here."""


def _conductor(node: Any) -> list[str]:
    about = _comment("action/Simulate.action")
    actions = [
        f"| `{name}` | action `hetwin/Simulate` | {about} |"
        for name in (names.SIMULATE, names.of_run(names.SIMULATE, node.run))
    ]
    return [
        "## The conductor\n",
        "### Topics it publishes\n",
        _topics(node, node.publishers),
        "A QoS can be overridden by the parameters `qos_overrides.<topic>.publisher...`, with the topic's full name.\n",
        "### Topics it subscribes to\n",
        _topics(node, node.subscriptions),
        "### Services and the action\n",
        _services(node, actions),
        "`TOKEN` is that of the run: names with it reach the conductor of that run and no other.\n",
        "Where `simulation_interfaces` is installed, the services of that standard are offered below `hetwin/` too.\n",
        "### Parameters\n",
        _parameters(node),
    ]


def _model(node: Any) -> list[str]:
    return [
        "## The node of a model\n",
        "### Topics it publishes\n",
        _topics(node, node.publishers),
        "### Topics it subscribes to\n",
        _topics(node, node.subscriptions),
        "A model on the clock or free subscribes to `hetwin/state`, `clock` and `hetwin/events`, reliable, as well.\n",
        "### Its parameters\n",
        _parameters(node),
    ]


def _robot(link: Any) -> list[str]:
    node = link._node
    return [
        "## The twin of a live robot\n",
        "The main model's process has a second node, which listens to the robot, in the robot's namespace.\n",
        _topics(node, node.subscriptions, "subscribed, "),
        (
            "Annotations and further topics of the scenario's source are subscribed to reliably, with the same depth."
            " A QoS can be overridden by `qos_overrides.<topic>.subscription...`.\n"
        ),
    ]


def _topics(node: Node, endpoints: Iterable[Any], direction: str = "") -> str:
    rows = []
    for endpoint in endpoints:
        name = _relative(node, getattr(endpoint, "topic_name", None) or endpoint.topic)
        if name.split("/")[-1] in OF_THE_NODES:
            continue
        about = OF_A_MODEL.get(name) or ABOUT[name]
        rows.append(
            f"| `{name}` | `{_type(endpoint.msg_type)}` | {direction}{_qos(endpoint.qos_profile)} | {about} |"
        )
    return _table(("topic", "type", "QoS", "what"), _ordered(node, rows))


def _services(node: Node, more: Sequence[str] = ()) -> str:
    rows = []
    for service in node.services:
        name = _relative(
            node, service.srv_name if hasattr(service, "srv_name") else service.service_name
        )
        kind = _type(service.srv_type)
        if not kind.startswith("hetwin/"):
            continue  # those of every managed node, and of the standard
        rows.append(f"| `{name}` | `{kind}` | {_comment(f'srv/{service.srv_type.__name__}.srv')} |")
    return _table(("name", "type", "what"), [*more, *_ordered(node, rows)])


def _ordered(node: Node, rows: Sequence[str]) -> list[str]:
    """The rows by name, whatever the token of this run is."""
    run = getattr(node, "run", "") or "\0"
    return sorted(row.replace(run, "TOKEN") for row in rows)


def _parameters(node: Node) -> str:
    rows = []
    for name in sorted(node._parameters):
        about = node.describe_parameter(name).description
        if about and not name.startswith(
            ("qos_overrides", "use_sim_time", "start_type_description")
        ):
            default = node.get_parameter(name).value
            shown = (
                '`""`'
                if default == ""
                else f"`{str(default).lower() if isinstance(default, bool) else default}`"
            )
            rows.append(f"| `{name}` | {shown} | {about} |")
    return _table(("parameter", "default", "what"), rows)


def _table(head: tuple[str, ...], rows: Sequence[str]) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *rows]
    return "\n".join(lines) + "\n"


def _relative(node: Node, name: str) -> str:
    """A name as it is written in the node: relative, or private to the node."""
    own = node.get_fully_qualified_name() + "/"
    return f"~/{name.removeprefix(own)}" if name.startswith(own) else name.removeprefix("/")


def _type(kind: Any) -> str:
    return f"{kind.__module__.split('.')[0]}/{kind.__name__}"


def _qos(profile: QoSProfile) -> str:
    reliable = "reliable" if profile.reliability == QoSReliabilityPolicy.RELIABLE else "best effort"
    latched = profile.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL
    return f"{reliable}, {'transient local' if latched else 'volatile'}, depth {profile.depth}"


def _comment(path: str) -> str:
    """The first line of an interface's definition, which says what it is for."""
    first = (ROOT / path).read_text(encoding="utf-8").splitlines()[0]
    text = first.removeprefix("# ").rstrip(".")
    return text[0].lower() + text[1:]


if __name__ == "__main__":
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    Path(sys.argv[1] if len(sys.argv) > 1 else PAGE).write_text(make_page(), encoding="utf-8")
