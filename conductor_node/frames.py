"""The scene's frames on ``tf`` and ``tf_static``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.qos import QoSDurabilityPolicy, QoSProfile

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.projection.frame_messages import TransformTemplate

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # a workspace without it gets no frames
    TFMessage = None


def latched() -> QoSProfile:
    """For topics whose last message late subscribers must receive too."""
    return QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)


def make_frames(
    publisher: Callable[[Any, str, QoSProfile], Any], *, live: bool, localized: bool = True
) -> SceneFrames | None:
    """What publishes frames; None where tf2_msgs is not installed, and for a live robot.

    Args:
        publisher: makes a publisher from type, topic and QoS.
        live: whether the robot is a real one, which publishes its frames itself, by its own clock.
        localized: whether frames say where odometry began, as `TransformTemplate`.
    """
    if TFMessage is None or live:
        return None
    return SceneFrames(
        publisher(TFMessage, topics.TRANSFORMS.name, QoSProfile(depth=100)),
        publisher(TFMessage, topics.STATIC_TRANSFORMS.name, latched()),
        localized,
    )


class SceneFrames:
    """Publishes each entity's frame, named like the entity; see `TransformTemplate` for the tree.

    Args:
        moving: publisher of frames that move.
        fixed: publisher of frames that do not.
        localized: as `TransformTemplate`.
    """

    def __init__(self, moving: Any, fixed: Any, localized: bool) -> None:
        self._moving, self._fixed, self._localized = moving, fixed, localized
        self._template: TransformTemplate | None = None

    def begin(self, scene: Snapshot) -> None:
        """Publish the fixed frames, and find out which ones move."""
        layout = scene.layout
        self._template = TransformTemplate(layout, localized=self._localized)
        static = TransformTemplate(layout, (EntityKind.STATIC,))
        if not static.empty:
            self._fixed.publish(bytes(static.fill(scene.time_ns, scene.values)))

    def publish(self, scene: Snapshot) -> None:
        """Publish the moving frames."""
        if self._template is not None and not self._template.empty:
            self._moving.publish(bytes(self._template.fill(scene.time_ns, scene.values)))
