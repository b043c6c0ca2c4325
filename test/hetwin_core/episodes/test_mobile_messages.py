"""What a mobile robot's twin writes and publishes: odometry, scans, and a tree of frames."""

from __future__ import annotations

from math import inf, pi
from typing import Any

import numpy as np
import pytest

from hetwin_core.ensemble.mobile_robots import mobile_robots, mounted_scanners
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.poses import compose, rotation_by
from hetwin_core.ensemble.scene.scans import ScanPattern
from hetwin_core.ensemble.scene.values import ODOMETRY, POSE, Floats, pose_value
from hetwin_core.episodes.frame_messages import FrameMessages
from hetwin_core.episodes.messages import nanoseconds, typestore
from hetwin_core.episodes.periodic_messages import odometry_messages, scan_messages

RAISED = (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0)


def pattern(name: str, pose: tuple[float, ...] = RAISED) -> ScanPattern:
    return ScanPattern(name, pose, -pi / 2, pi / 2, 3, 0.1, 4.0, 10.0)


def layout(prefix: str = "", *, moves: bool = True, scanners: int = 1) -> Layout:
    """A robot of three links with a hand, beside a box; the robot's name is that before the links' names."""
    robot = prefix.removesuffix("::") or "rover"
    base, head, tool, hand = (prefix + name for name in ("base", "head", "tool", "hand"))
    link = EntityKind.LINK
    entities = [
        Entity("box", EntityKind.OBJECT),
        Entity(robot, EntityKind.ROBOT),
        Entity(base, link, owner=robot),
        Entity(head, link, owner=robot, parent=base, scanner=pattern("front")),
        Entity(tool, link, owner=robot, parent=head, scanner=pattern("low", (0, 0, 0, 1, 0, 0, 0))),
        Entity(hand, EntityKind.HAND, owner=robot, parent=tool),
    ]
    attributes = [(entity.name, POSE) for entity in entities]
    attributes += [(robot, ODOMETRY)] if moves else []
    attributes += [(link, pattern("").attribute) for link in (head, tool)[:scanners]]
    return Layout.build(entities, attributes)


def turned(yaw: float, x: float, y: float) -> Floats:
    return pose_value((x, y, 0.0), rotation_by((0.0, 0.0, yaw)), (0.3, 0.1, 0.0)).data


def values(of: Layout, **poses: Floats) -> Floats:
    made = np.zeros(of.size)
    for slot in of.slots:
        if slot.attribute == POSE:
            made[of.range_of(slot.entity, "pose")][3] = 1.0
    for name, pose in poses.items():
        entity, _, attribute = name.rpartition("_")
        made[of.range_of(entity, attribute)] = pose
    return made


def read(template: Any, kind: str, time_ns: int, numbers: Floats) -> Any:
    return typestore().deserialize_cdr(bytes(template.fill(time_ns, numbers)), kind)


def frames(
    of: Layout, numbers: Floats, *, localized: bool = True
) -> dict[str, tuple[str, list[float]]]:
    template = FrameMessages(of, localized=localized)
    message = read(template, "tf2_msgs/msg/TFMessage", 5, numbers)
    found = {}
    for transform in message.transforms:
        place, turn = transform.transform.translation, transform.transform.rotation
        pose = [place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z]
        found[transform.child_frame_id] = transform.header.frame_id, pose
    assert len(found) == len(message.transforms)  # one parent each
    return found


def test_a_mobile_robot_has_the_tree_that_navigation_expects() -> None:
    """Composed along the tree, every frame is where the scene has it, though odometry is wrong."""
    scene = layout()
    places = {name: turned(0.3 * i, i, -i) for i, name in enumerate(("base", "head", "tool"), 1)}
    numbers = values(
        scene,
        **{f"{name}_pose": pose for name, pose in places.items()},
        hand_pose=places["tool"],
        rover_odometry=turned(0.2, 0.9, 0.1),
    )
    tree = frames(scene, numbers)
    parents = {child: parent for child, (parent, _) in tree.items()}
    assert parents == {
        "box": "world",
        "odom": "world",
        "base": "odom",
        "head": "base",
        "tool": "head",
        "hand": "tool",
        "front": "head",
    }
    assert tree["base"][1] == numbers[scene.range_of("rover", "odometry")][:7].tolist()
    assert tree["front"][1] == list(RAISED)

    def in_world(name: str) -> Floats:
        parent, pose = tree[name]
        whole = np.array([*pose, *[0.0] * 6])
        return whole if parent == "world" else compose(in_world(parent), whole)

    for name, pose in places.items():
        assert in_world(name)[:7] == pytest.approx(pose[:7])


def test_a_localization_of_the_robots_own_may_say_where_odometry_began() -> None:
    whole, rest = (frames(layout(), values(layout()), localized=both) for both in (True, False))
    del whole["odom"]
    assert rest == whole


def test_the_frames_of_other_robots_stay_under_the_world() -> None:
    tree = frames(layout(moves=False), values(layout(moves=False)))
    assert {parent for name, (parent, _) in tree.items() if name != "front"} == {"world"}
    assert tree["front"][0] == "head"


def test_frames_that_move_are_noticed() -> None:
    scene = layout()
    template = FrameMessages(scene)
    template.fill(0, values(scene))
    assert not template.changed(values(scene))
    assert template.changed(values(scene, rover_odometry=turned(0.1, 0, 0)))


def test_odometry_is_in_the_frame_of_its_beginning_and_its_twist_in_the_robots() -> None:
    scene = layout()
    numbers = values(scene, rover_odometry=turned(0.5, 1.0, 2.0))
    (template,) = odometry_messages(scene)
    message = read(template, "nav_msgs/msg/Odometry", 1_500_000_000, numbers)
    assert (message.header.frame_id, message.child_frame_id) == ("odom", "base")
    assert nanoseconds(message.header.stamp) == 1_500_000_000
    assert (message.pose.pose.position.x, message.pose.pose.position.y) == (1.0, 2.0)
    assert message.pose.pose.orientation.w == pytest.approx(np.cos(0.25))
    assert (message.twist.twist.linear.x, message.twist.twist.linear.y) == (0.3, 0.1)
    assert template.topic.name == "odom"


def test_a_scan_has_its_angles_and_says_what_it_did_not_see() -> None:
    scene = layout()
    numbers = values(scene, head_scan=np.array([0.0, 1.5, 4.0]))
    (template,) = scan_messages(scene)
    message = read(template, "sensor_msgs/msg/LaserScan", 7, numbers)
    assert message.header.frame_id == "front"
    assert message.ranges.tolist() == [-inf, 1.5, inf]
    assert message.angle_min + 2 * message.angle_increment == pytest.approx(message.angle_max)
    assert (message.range_min, message.range_max) == pytest.approx((0.1, 4.0))
    assert message.scan_time == pytest.approx(0.1)


@pytest.mark.parametrize("rate", [10.0, 400.0 / 7.0, 30.0])
def test_a_scan_is_due_at_the_steps_at_which_it_is_made(rate: float) -> None:
    """The main model scans every so many steps; a step's time is cut to whole nanoseconds."""
    scene = layout()
    (template,) = scan_messages(scene)
    template._pattern = ScanPattern("front", RAISED, 0.0, 1.0, 3, 0.1, 4.0, rate)
    main, every = (390.0, 13) if rate == 30.0 else (400.0, round(400.0 / rate))
    due = [i for i in range(2000) if template.due(int(i * 1e9 // main))]
    assert due == list(range(0, 2000, every))


@pytest.mark.parametrize(
    ("prefix", "scanners", "odom", "scans"),
    [
        ("", 1, ("odom", "odom"), ["scan"]),
        ("", 2, ("odom", "odom"), ["front/scan", "low/scan"]),
        ("left::", 1, ("left::odom", "left/odom"), ["left/scan"]),
        ("left::", 2, ("left::odom", "left/odom"), ["left/front/scan", "left/low/scan"]),
    ],
)
def test_names_are_those_of_navigation_below_the_robots_own(
    prefix: str, scanners: int, odom: tuple[str, str], scans: list[str]
) -> None:
    scene = layout(prefix, scanners=scanners)
    (robot,) = mobile_robots(scene)
    assert (robot.odom, robot.topic.name) == odom
    assert [scanner.topic.name for scanner in mounted_scanners(scene)] == scans
