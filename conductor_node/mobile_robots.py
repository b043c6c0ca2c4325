"""The odometry and the scans of the twin's robots, as the robots themselves would publish them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import LaserScan

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.projection.mobile_messages import (
    OdometryTemplate,
    ScanTemplate,
    odometry_templates,
    scan_templates,
)


class TwinBases:
    """Publishes odometry with each state, and each scan once; stamps are simulated time.

    Args:
        publisher: makes a publisher from type, topic and QoS.
        live: whether the robots are real ones, which publish these themselves.
    """

    def __init__(
        self, publisher: Callable[[Any, str, QoSProfile], Any], *, live: bool = False
    ) -> None:
        self._publisher, self._live = publisher, live
        self._odometries: list[tuple[OdometryTemplate, Any]] = []
        self._scans: list[tuple[ScanTemplate, Any]] = []

    @property
    def moving(self) -> bool:
        """Whether a robot's base moves."""
        return bool(self._odometries)

    def begin(self, layout: Layout) -> None:
        """Find the robots with odometry and the laser scanners of the scene."""
        if self._live:
            return
        self._odometries = [
            (template, self._publisher(Odometry, template.topic.name, QoSProfile(depth=10)))
            for template in odometry_templates(layout)
        ]
        self._scans = [
            (template, self._publisher(LaserScan, template.topic.name, qos_profile_sensor_data))
            for template in scan_templates(layout)
        ]

    def publish_odometry(self, scene: Snapshot) -> None:
        """Publish where odometry says that the bases are."""
        for template, topic in self._odometries:
            topic.publish(bytes(template.fill(scene.time_ns, scene.values)))

    def publish_scans(self, scene: Snapshot) -> None:
        """Publish the scans that are new."""
        for template, topic in self._scans:
            if template.due(scene.time_ns):
                topic.publish(bytes(template.fill(scene.time_ns, scene.values)))
