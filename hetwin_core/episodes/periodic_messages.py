"""Messages that a run sends repeatedly: the state of the scene, joints, odometry, scans, and beliefs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from hetwin_core.ensemble.beliefs import BeliefFields
from hetwin_core.ensemble.mobile_robots import (
    MountedScanner,
    mobile_robots,
    mounted_scanners,
)
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.scans import SCAN, ScanPattern
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import ODOMETRY, POSE_SIZE, WORLD, Floats, Ints
from hetwin_core.ensemble.topics import (
    BELIEFS,
    CONTACTS,
    JOINT_STATES,
    ODOMETRY_TOPIC,
    SCAN_TOPIC,
    STATE,
    Topic,
    robot_topic,
)
from hetwin_core.episodes.markers import ADD, DELETE, marker
from hetwin_core.episodes.messages import (
    Blanks,
    CdrTemplate,
    colour_message,
    message,
    point_message,
    pose_message,
    vector_message,
)

_MAX_TEMPLATES = 64
_MAX_BELIEF_TEMPLATES = 256
_JOINT_FIELDS = {
    "position": ("joint_position", "joint_positions"),
    "velocity": ("joint_velocity", "joint_velocities"),
    "effort": ("joint_effort", "joint_efforts"),
}
_NS = 1_000_000_000


class StateMessages:
    """``hetwin/msg/SceneState`` of one layout."""

    def __init__(self, layout: Layout) -> None:
        make = partial(_state_template, layout)
        self._templates = lru_cache(_MAX_TEMPLATES)(make)

    def fill(
        self,
        time_ns: int,
        step: int,
        values: Floats,
        owners: Ints,
        parents: Ints,
        proximity: Floats,
    ) -> memoryview:
        """Put the numbers into the message.

        Returns:
            The serialized message, valid until the next call.
        """
        template = self._templates(len(proximity))
        return template.fill(time_ns, step, values, owners, parents, proximity.reshape(-1))


def _state_template(layout: Layout, rows: int) -> CdrTemplate:
    """The message with this number of proximity rows."""
    slots = len(layout.slots)

    def make(blanks: Blanks) -> object:
        return message(
            STATE.type,
            stamp=blanks.stamp,
            step=blanks.number(np.uint64),
            values=blanks.numbers(layout.size),
            owners=blanks.numbers(slots, np.int32),
            parents=blanks.numbers(slots, np.int32),
            proximity=blanks.numbers(rows * PROXIMITY_COLUMNS),
        )

    return CdrTemplate(STATE.type, make)


class SceneMessage:
    """A message whose numbers are some of the scene's values.

    Args:
        topic: topic of the message.
        sources: slices of the values with its numbers, in the order of its only blank.
        make: makes the message.

    Attributes:
        topic: as given.
    """

    def __init__(
        self, topic: Topic, sources: Iterable[slice], make: Callable[[Blanks], object]
    ) -> None:
        self.topic = topic
        self._template = CdrTemplate(topic.type, make)
        self._indices = np.concatenate([np.arange(part.start, part.stop) for part in sources])

    def fill(self, time_ns: int, values: Floats) -> memoryview:
        """Put the numbers into the message.

        Returns:
            The serialized message, valid until the next call.
        """
        return self._template.fill(time_ns, values[self._indices])


def joint_messages(layout: Layout) -> list[SceneMessage]:
    """Return ``sensor_msgs/msg/JointState`` for each robot with attributes such as ``joint_positions``."""
    found = (_joints(layout, robot) for robot in layout.of_kind(EntityKind.ROBOT))
    return [joints for joints in found if joints is not None]


def _joints(layout: Layout, robot: Entity) -> SceneMessage | None:
    """The joints of one robot; None if it has no such attribute.

    An attribute whose size differs from the number of joints is left out. One of several robots has a topic in its
    own namespace, in which its joints have their names from the URDF.
    """
    count, scope = len(robot.joints), f"{robot.name}::"
    sources: dict[str, slice] = {}
    for name, attributes in _JOINT_FIELDS.items():
        for attribute in attributes:
            if layout.has(robot.name, attribute):
                part = layout.range_of(robot.name, attribute)
                if count and part.stop - part.start == count:
                    sources[name] = part
    if not sources:
        return None
    is_one_of_several = all(name.startswith(scope) for name in robot.joints)
    topic = robot_topic(JOINT_STATES, robot.name if is_one_of_several else "")
    names = [name.removeprefix(scope) for name in robot.joints]
    return SceneMessage(topic, sources.values(), partial(joint_state, names, tuple(sources)))


def joint_state(names: Sequence[str], fields: Sequence[str], blanks: Blanks) -> Any:
    """``sensor_msgs/msg/JointState`` with one blank for some of its fields, one after another.

    Args:
        names: names of the joints.
        fields: some of position, velocity and effort, in this order; the others are left empty.
        blanks: blanks of the message.
    """
    rows = blanks.numbers(len(names) * len(fields)).reshape(-1, len(names))
    return message(
        JOINT_STATES.type,
        header=message("std_msgs/msg/Header", stamp=blanks.stamp, frame_id=""),
        name=list(names),
        **dict.fromkeys(_JOINT_FIELDS, np.empty(0)) | dict(zip(fields, rows, strict=True)),
    )


def odometry_messages(layout: Layout) -> list[SceneMessage]:
    """Return ``nav_msgs/msg/Odometry`` for each robot with odometry."""
    return [
        SceneMessage(
            robot.topic,
            [layout.range_of(robot.name, ODOMETRY.name)],
            partial(odometry, robot.odom, robot.root),
        )
        for robot in mobile_robots(layout)
    ]


def odometry(frame: str, child: str, blanks: Blanks) -> Any:
    """``nav_msgs/msg/Odometry`` with a blank of (13,) pose and twist; its covariances are 0, which means unknown.

    Args:
        frame: frame of the odometry.
        child: the root link.
        blanks: blanks of the message.
    """
    numbers, unknown = blanks.numbers(POSE_SIZE), np.zeros(36)
    twist = message(
        "geometry_msgs/msg/Twist",
        linear=vector_message(numbers[7:10]),
        angular=vector_message(numbers[10:13]),
    )
    pose = pose_message(numbers[:7])
    return message(
        ODOMETRY_TOPIC.type,
        header=message("std_msgs/msg/Header", stamp=blanks.stamp, frame_id=frame),
        child_frame_id=child,
        pose=message("geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=unknown),
        twist=message("geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=unknown),
    )


class ScanMessage:
    """``sensor_msgs/msg/LaserScan`` of one laser scanner, at the times of its scans.

    Attributes:
        topic: topic of its scans.
    """

    def __init__(self, layout: Layout, scanner: MountedScanner) -> None:
        self.topic = scanner.topic
        self._pattern = scanner.pattern
        self._source = layout.range_of(scanner.link, SCAN)
        self._template = CdrTemplate(self.topic.type, partial(scan, self._pattern, scanner.frame))
        self._last = -1

    def due(self, time_ns: int) -> bool:
        """Whether there is a new scan; times must not decrease, and each scan is due only once."""
        # Steps start at whole nanoseconds, at most one before the exact time.
        number = int((time_ns + 1) * self._pattern.rate / _NS + 1e-6)
        is_new, self._last = number > self._last, max(number, self._last)
        return is_new

    def fill(self, time_ns: int, values: Floats) -> memoryview:
        """Put the numbers into the message.

        Returns:
            The serialized message, valid until the next call.
        """
        return self._template.fill(time_ns, self._pattern.as_published(values[self._source]))


def scan(pattern: ScanPattern, frame: str, blanks: Blanks) -> Any:
    """``sensor_msgs/msg/LaserScan`` in a frame with a blank of (beams,) ranges."""
    return message(
        SCAN_TOPIC.type,
        header=message("std_msgs/msg/Header", stamp=blanks.stamp, frame_id=frame),
        angle_min=pattern.first,
        angle_max=pattern.last,
        angle_increment=pattern.increment,
        time_increment=0.0,
        scan_time=1.0 / pattern.rate,
        range_min=pattern.nearest,
        range_max=pattern.reach,
        ranges=blanks.numbers(pattern.beams, np.float32),
        intensities=np.zeros(0, np.float32),
    )


def scan_messages(layout: Layout) -> list[ScanMessage]:
    """Return the scans of each laser scanner."""
    return [ScanMessage(layout, scanner) for scanner in mounted_scanners(layout)]


class BeliefMessages:
    """``hetwin/msg/Belief``, which are sent many times a second."""

    def __init__(self) -> None:
        self._templates = lru_cache(_MAX_BELIEF_TEMPLATES)(_belief_template)

    def fill(self, time_ns: int, fields: BeliefFields) -> memoryview:
        """Put the numbers into the message.

        Returns:
            The serialized message, valid until the next call.
        """
        kind = fields._replace(pose=(0.0,) * len(fields.pose), confidence=0.0)
        return self._templates(kind).fill(time_ns, fields.pose, fields.confidence)


def _belief_template(kind: BeliefFields) -> CdrTemplate:
    """The message of beliefs that differ only in stamp, pose and confidence."""

    def make(blanks: Blanks) -> object:
        fields = {**kind._asdict(), "arguments": list(kind.arguments)}
        fields |= {"pose": blanks.numbers(len(kind.pose)), "confidence": blanks.number()}
        return message(BELIEFS.type, stamp=blanks.stamp, **fields)

    return CdrTemplate(BELIEFS.type, make)


CONTACT_RGBA = (0.95, 0.25, 0.2, 1.0)
_WIDTH = 0.004
"""Width of a contact's line [m]."""
_LINE_LIST = 5
"""Value of ``visualization_msgs/Marker``'s constant LINE_LIST."""

_METRES_PER_NEWTON = 0.01
_MAX_LENGTH_M = 0.3
_MIN_FORCE_N = 1e-3


def contact_lines(near: Floats) -> Floats:
    """Return (2 n, 3) start and end of the line of each force on an object [m]; it starts at the point of application.

    Args:
        near: rows of `Snapshot.proximity`.
    """
    lines: list[tuple[float, float, float]] = []
    # For so few rows, arrays would be slower.
    for _, _, _, x, y, z, _, _, _, fx, fy, fz in near.tolist():
        size = math.sqrt(fx * fx + fy * fy + fz * fz)
        if size > _MIN_FORCE_N:
            scale = min(_METRES_PER_NEWTON, _MAX_LENGTH_M / size)
            lines += (x, y, z), (x + fx * scale, y + fy * scale, z + fz * scale)
    return np.array(lines) if lines else np.empty((0, 3))


class ContactMessages:
    """``visualization_msgs/MarkerArray`` with all contacts as one list of lines."""

    def __init__(self) -> None:
        self._templates = lru_cache(_MAX_TEMPLATES)(_contact_template)
        self._has_contacts = False

    def fill(self, time_ns: int, near: Floats, *, always: bool = False) -> memoryview | None:
        """Put the numbers into the message.

        Args:
            time_ns: simulated time.
            near: rows of `Snapshot.proximity`.
            always: whether to return a message even if there are no contacts now and in the last message.

        Returns:
            The serialized message, valid until the next call; None if there is none.
        """
        lines = contact_lines(near)
        if not (len(lines) or self._has_contacts or always):
            return None
        self._has_contacts = bool(len(lines))
        return self._templates(len(lines)).fill(time_ns, lines.ravel())


def _contact_template(points: int) -> CdrTemplate:
    """The message with this number of points; an empty list is deleted, because RViz rejects one without points."""

    def make(blanks: Blanks) -> object:
        lines = marker(
            WORLD,
            blanks.stamp,
            ns="contacts",
            id=0,
            type=_LINE_LIST,
            action=ADD if points else DELETE,
            frame_locked=True,
            scale=vector_message((_WIDTH, 0.0, 0.0)),
            color=colour_message(CONTACT_RGBA),
            points=[point_message(row) for row in blanks.numbers(3 * points).reshape(-1, 3)],
        )
        return message(CONTACTS.type, markers=[lines])

    return CdrTemplate(CONTACTS.type, make)
