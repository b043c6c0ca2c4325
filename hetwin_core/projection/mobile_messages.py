"""The messages of a mobile robot that repeat: its odometry and its scans."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.mobile_robots import (
    MobileRobot,
    MountedScanner,
    mobile_robots,
    mounted_scanners,
)
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.scans import SCAN
from hetwin_core.ensemble.scene.values import ODOMETRY, POSE_SIZE, Floats
from hetwin_core.ensemble.topics import Topic
from hetwin_core.projection.cdr_template import CdrTemplate, marked_stamp
from hetwin_core.projection.messages import message

_MARK = 0x6D2B_79F5
_SCAN_MARK = 1.25e30
_NS = 1_000_000_000


class OdometryTemplate:
    """``nav_msgs/msg/Odometry`` of one robot; its covariances are 0, which means unknown."""

    def __init__(self, layout: Layout, robot: MobileRobot) -> None:
        self.topic = robot.topic
        self._source = layout.range_of(robot.name, ODOMETRY.name)
        marks = np.arange(float(POSE_SIZE)) + _MARK
        self._template = _odometry(self.topic, robot, marks.tolist())
        places = {float(x): i for i, x in enumerate(self._template.float64)}
        self._targets = np.array([places[x] for x in marks.tolist()], np.intp)

    def fill(self, time_ns: int, values: Floats) -> memoryview:
        """Put the numbers in.

        Returns:
            The serialized message, valid until the next call.
        """
        self._template.set_stamps(time_ns)
        self._template.float64[self._targets] = values[self._source]
        return self._template.data


class ScanTemplate:
    """``sensor_msgs/msg/LaserScan`` of one laser scanner, at the times at which it scans."""

    def __init__(self, layout: Layout, scanner: MountedScanner) -> None:
        self.topic = scanner.topic
        self._pattern = pattern = scanner.pattern
        self._source = layout.range_of(scanner.link, SCAN)
        ranges = np.zeros(pattern.beams, np.float32)
        ranges[0] = _SCAN_MARK
        example = message(
            self.topic.type,
            header=message("std_msgs/msg/Header", stamp=marked_stamp(), frame_id=scanner.frame),
            angle_min=pattern.first,
            angle_max=pattern.last,
            angle_increment=pattern.increment,
            time_increment=0.0,
            scan_time=1.0 / pattern.rate,
            range_min=pattern.nearest,
            range_max=pattern.reach,
            ranges=ranges,
            intensities=np.zeros(0, np.float32),
        )
        self._template = template = CdrTemplate(example, self.topic.type)
        start = template.place(template.float32, float(np.float32(_SCAN_MARK)))
        self._ranges = template.float32[start : start + pattern.beams]
        self._last = -1

    def due(self, time_ns: int) -> bool:
        """Whether there is a new scan at a time; times do not decrease, and a scan is due once."""
        # Steps begin at whole nanoseconds, up to one before the exact time.
        number = int((time_ns + 1) * self._pattern.rate / _NS + 1e-6)
        is_new, self._last = number > self._last, max(number, self._last)
        return is_new

    def fill(self, time_ns: int, values: Floats) -> memoryview:
        """Put the numbers in.

        Returns:
            The serialized message, valid until the next call.
        """
        self._template.set_stamps(time_ns)
        self._ranges[:] = self._pattern.as_published(values[self._source])
        return self._template.data


def odometry_templates(layout: Layout) -> list[OdometryTemplate]:
    """Return a template for each robot that has odometry."""
    return [OdometryTemplate(layout, robot) for robot in mobile_robots(layout)]


def scan_templates(layout: Layout) -> list[ScanTemplate]:
    """Return a template for each laser scanner."""
    return [ScanTemplate(layout, scanner) for scanner in mounted_scanners(layout)]


def mobile_topics(layout: Layout) -> tuple[Topic, ...]:
    """Return the topics of all mobile robots and laser scanners."""
    robots, scanners = mobile_robots(layout), mounted_scanners(layout)
    return (*(robot.topic for robot in robots), *(scanner.topic for scanner in scanners))


def _odometry(topic: Topic, robot: MobileRobot, marks: list[float]) -> CdrTemplate:
    x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz = marks
    vector, unknown = "geometry_msgs/msg/Vector3", np.zeros(36)
    pose = message(
        "geometry_msgs/msg/Pose",
        position=message("geometry_msgs/msg/Point", x=x, y=y, z=z),
        orientation=message("geometry_msgs/msg/Quaternion", x=qx, y=qy, z=qz, w=qw),
    )
    twist = message(
        "geometry_msgs/msg/Twist",
        linear=message(vector, x=vx, y=vy, z=vz),
        angular=message(vector, x=wx, y=wy, z=wz),
    )
    example = message(
        topic.type,
        header=message("std_msgs/msg/Header", stamp=marked_stamp(), frame_id=robot.odom),
        child_frame_id=robot.root,
        pose=message("geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=unknown),
        twist=message("geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=unknown),
    )
    return CdrTemplate(example, topic.type)
