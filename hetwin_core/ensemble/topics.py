"""The topics of a run: their names, their types, and whether a late subscriber gets the last message."""

from __future__ import annotations

from typing import NamedTuple

HETWIN_TYPES = "hetwin/msg/"
"""Before the names of hetwin's own message types."""


class Topic(NamedTuple):
    """A topic; its name is relative, to follow the namespace of a node.

    Attributes:
        latched: whether it has transient-local durability.
    """

    name: str
    type: str
    latched: bool = False

    @property
    def logged_name(self) -> str:
        """Its name in a log, which knows no namespaces."""
        return f"/{self.name}"


STATE = Topic("hetwin/state", HETWIN_TYPES + "SceneState")
RESPONSIBILITIES = Topic("hetwin/responsibilities", HETWIN_TYPES + "Responsibilities", latched=True)
HANDOVERS = Topic("hetwin/handovers", HETWIN_TYPES + "Handover")
EVENTS = Topic("hetwin/events", HETWIN_TYPES + "Event")
REGISTRY = Topic("hetwin/registry", HETWIN_TYPES + "Registry", latched=True)
ANNOTATIONS = Topic("action_annotations", HETWIN_TYPES + "ActionAnnotation")
JOINT_STATES = Topic("joint_states", "sensor_msgs/msg/JointState")
TRANSFORMS = Topic("tf", "tf2_msgs/msg/TFMessage")
STATIC_TRANSFORMS = Topic("tf_static", "tf2_msgs/msg/TFMessage", latched=True)
ROBOT_DESCRIPTION = Topic("robot_description", "std_msgs/msg/String", latched=True)
DIAGNOSTICS = Topic("diagnostics", "diagnostic_msgs/msg/DiagnosticArray")
MARKERS = Topic("hetwin/markers", "visualization_msgs/msg/MarkerArray")
CLOCK = Topic("clock", "rosgraph_msgs/msg/Clock")

LOGGED = (
    REGISTRY,
    RESPONSIBILITIES,
    ROBOT_DESCRIPTION,
    STATE,
    EVENTS,
    HANDOVERS,
    ANNOTATIONS,
    JOINT_STATES,
    TRANSFORMS,
    DIAGNOSTICS,
)
"""Those that the log of a run has."""
