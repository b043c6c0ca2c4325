"""The frames of the scene as messages: a tree in which each frame has one parent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.mobile_robots import MobileRobot, mobile_robots, mounted_scanners
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.poses import compose, relative_to
from hetwin_core.ensemble.scene.values import ODOMETRY, POSE_SIZE, WORLD, Floats
from hetwin_core.ensemble.topics import TRANSFORMS
from hetwin_core.episodes.messages import (
    Blanks,
    CdrTemplate,
    message,
    quaternion_message,
    vector_message,
)

MOVING = (EntityKind.OBJECT, EntityKind.LINK, EntityKind.HAND)
"""Kinds of entities whose frames may move."""
_TRANSFORM_SIZE = 7
"""Number of values in a transform."""


class Frame(NamedTuple):
    """A frame and its parent."""

    parent: str
    child: str


class FrameMessages:
    """``tf2_msgs/msg/TFMessage``: frames of entities, each directly under the world, except those of mobile robots.

    A robot with odometry has the tree that navigation expects: ``world``, ``odom``, root link, its other links. The
    transform of ``odom`` is such that the root link is at its true pose.

    Args:
        layout: layout of the scene.
        kinds: kinds of the entities; those without a pose are left out.
        localized: whether frames include ``odom``; otherwise a localization such as AMCL publishes it.
    """

    def __init__(
        self, layout: Layout, kinds: Sequence[EntityKind] = MOVING, *, localized: bool = True
    ) -> None:
        robots = mobile_robots(layout) if EntityKind.LINK in kinds else []
        robot_links = {name for robot in robots for name in _links(robot)}
        names = [
            entity.name
            for entity in layout.of_kind(*kinds)
            if layout.has(entity.name, "pose") and entity.name not in robot_links
        ]
        self._trees = [_RobotTree(layout, robot, localized) for robot in robots]
        fixed = _scanner_frames(layout) if EntityKind.LINK in kinds else []
        frames = [Frame(WORLD, name) for name in names]
        frames += [frame for tree in self._trees for frame in tree.frames]
        frames += [frame for frame, _ in fixed]
        self.empty = not frames
        starts = [layout.range_of(name, "pose").start for name in names]
        self._sources = np.array(
            [start + i for start in starts for i in range(_TRANSFORM_SIZE)], np.intp
        )
        self._template = frames_template(frames)
        self._fixed = np.array([pose for _, pose in fixed]).ravel()

    def changed(self, values: Floats) -> bool:
        """Whether a frame differs, to the bit, from that in the last message."""
        return not self._template.is_filled_with(self._numbers(values))

    def fill(self, time_ns: int, values: Floats) -> memoryview:
        """Put the numbers into the message.

        Returns:
            The serialized message, valid until the next call.
        """
        return self._template.fill(time_ns, self._numbers(values))

    def _numbers(self, values: Floats) -> Floats:
        """All transforms, in the order of the message."""
        flat: Floats = values[self._sources]
        if not self._trees and not len(self._fixed):
            return flat
        return np.concatenate([flat, *(tree.numbers(values) for tree in self._trees), self._fixed])


class _RobotTree:
    """The frames of a robot with odometry."""

    def __init__(self, layout: Layout, robot: MobileRobot, localized: bool) -> None:
        self._localized = localized
        self.frames = [Frame(WORLD, robot.odom)] if localized else []
        self.frames.append(Frame(robot.odom, robot.root))
        self.frames += [Frame(parent, child) for parent, child in robot.links]
        self._odometry = layout.range_of(robot.name, ODOMETRY.name)
        self._root = layout.range_of(robot.root, "pose")
        self._links = [
            (layout.range_of(parent, "pose"), layout.range_of(child, "pose"))
            for parent, child in robot.links
        ]

    def numbers(self, values: Floats) -> Floats:
        """The transforms, in the order of `frames`."""
        odometry = _without_twist(values[self._odometry])
        poses = [odometry]
        if self._localized:
            root = _without_twist(values[self._root])
            poses.insert(0, compose(root, relative_to(odometry, _ORIGIN)))
        poses += [relative_to(values[parent], values[child]) for parent, child in self._links]
        return np.stack(poses)[:, :_TRANSFORM_SIZE].ravel()


_ORIGIN = np.zeros(POSE_SIZE)
_ORIGIN[3] = 1.0


def _without_twist(pose: Floats) -> Floats:
    """The pose with a zero twist, because the twist may be along other axes."""
    result = np.zeros(POSE_SIZE)
    result[:_TRANSFORM_SIZE] = pose[:_TRANSFORM_SIZE]
    return result


def _links(robot: MobileRobot) -> list[str]:
    return [robot.root, *(child for _, child in robot.links)]


def _scanner_frames(layout: Layout) -> list[tuple[Frame, Sequence[float]]]:
    """The frames of laser scanners that differ from their links' frames."""
    return [
        (Frame(scanner.link, scanner.frame), scanner.pattern.pose)
        for scanner in mounted_scanners(layout)
        if scanner.frame != scanner.link
    ]


def frames_template(frames: Sequence[Frame]) -> CdrTemplate:
    """``tf2_msgs/msg/TFMessage`` with one blank: seven numbers for each frame, in the given order."""

    def make(blanks: Blanks) -> object:
        rows = blanks.numbers(_TRANSFORM_SIZE * len(frames)).reshape(-1, _TRANSFORM_SIZE)
        transforms = [
            message(
                "geometry_msgs/msg/TransformStamped",
                header=message("std_msgs/msg/Header", stamp=blanks.stamp, frame_id=frame.parent),
                child_frame_id=frame.child,
                transform=message(
                    "geometry_msgs/msg/Transform",
                    translation=vector_message(row[:3]),
                    rotation=quaternion_message(row[3:]),
                ),
            )
            for frame, row in zip(frames, rows, strict=True)
        ]
        return message(TRANSFORMS.type, transforms=transforms)

    return CdrTemplate(TRANSFORMS.type, make)
