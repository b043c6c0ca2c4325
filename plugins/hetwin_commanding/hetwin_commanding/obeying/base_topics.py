"""The messages of a simulated mobile robot beside its joints: odometry, localization, frames and scans."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from hetwin_commanding.obeying.localization import Localization
from hetwin_suite.engine import ScanPattern
from hetwin_suite.episode import Encoded, Topic, encoded, header, pose_message
from hetwin_suite.model import Floats
from hetwin_suite.viewer import TRANSFORMS
from hetwin_suite.wire import (
    ODOMETRY_TOPIC,
    SCAN_TOPIC,
    CdrTemplate,
    Frame,
    frames_template,
    message,
    odometry,
    scan,
)

MAP, ODOM = "map", "odom"


class BaseMessages:
    """The messages of a base.

    Args:
        root: name of the root link.
        odometry_name: topic of its odometry.
        localization_name: topic of its localization.

    Attributes:
        topics: topics of its messages.
    """

    def __init__(self, root: str, odometry_name: str, localization_name: str) -> None:
        about = "pose of the robot according to localization"
        kind = "geometry_msgs/msg/PoseWithCovarianceStamped"
        self._odometry = ODOMETRY_TOPIC._replace(name=odometry_name, depth=50)
        self._place = Topic(localization_name, kind, about, latched=True)
        self.topics = (self._odometry, self._place, TRANSFORMS)
        self._moved = CdrTemplate(self._odometry.type, partial(odometry, ODOM, root))
        self._frames = frames_template([Frame(MAP, ODOM), Frame(ODOM, root)])

    def odometry(
        self, stamp_ns: int, state: Floats, localization: Localization
    ) -> Iterator[Encoded]:
        """Yield odometry (13,), and the frames from the map to the root link."""
        yield Encoded(self._odometry, stamp_ns, self._moved.fill(stamp_ns, state))
        poses = np.concatenate([localization.correction, state[:7]])
        yield Encoded(TRANSFORMS, stamp_ns, self._frames.fill(stamp_ns, poses))

    def place(self, stamp_ns: int, localization: Localization) -> Encoded:
        """Return the pose according to localization."""
        pose = message(
            "geometry_msgs/msg/PoseWithCovariance",
            pose=pose_message(localization.pose),
            covariance=np.array(localization.covariance),
        )
        return encoded(self._place, stamp_ns, header=header(stamp_ns, MAP), pose=pose)


class ScanMessages:
    """The messages of a laser scanner.

    Args:
        pattern: pattern of its beams.
        link: link that carries the scanner.
        only: whether the robot has no other scanner.

    Attributes:
        topic: topic of its scans.
    """

    def __init__(self, pattern: ScanPattern, link: str, only: bool) -> None:
        name = SCAN_TOPIC.name if only else f"{pattern.name}/{SCAN_TOPIC.name}"
        self.topic = SCAN_TOPIC._replace(name=name)
        self._pattern = pattern
        make = partial(scan, pattern, pattern.frame_on(link))
        self._template = CdrTemplate(self.topic.type, make)

    def scan(self, stamp_ns: int, ranges: Floats) -> Encoded:
        """Return the message of a scan (beams,) [m]."""
        data = self._template.fill(stamp_ns, self._pattern.as_published(ranges))
        return Encoded(self.topic, stamp_ns, data)
