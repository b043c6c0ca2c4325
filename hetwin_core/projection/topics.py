"""The topics of a log: names, types and whether a late subscriber gets the last message."""

from __future__ import annotations

from typing import NamedTuple

from hetwin_core.projection.messages import PREFIX


class Topic(NamedTuple):
    """A topic of the log; `latched` means transient-local durability."""

    name: str
    type: str
    latched: bool = False


STATE = Topic("/hetwin/state", PREFIX + "SceneState")
RESPONSIBILITIES = Topic("/hetwin/responsibilities", PREFIX + "Responsibilities", latched=True)
HANDOVERS = Topic("/hetwin/handovers", PREFIX + "Handover")
EVENTS = Topic("/hetwin/events", PREFIX + "Event")
REGISTRY = Topic("/hetwin/registry", PREFIX + "Registry", latched=True)
ANNOTATIONS = Topic("/action_annotations", PREFIX + "ActionAnnotation")
JOINT_STATES = Topic("/joint_states", "sensor_msgs/msg/JointState")
TRANSFORMS = Topic("/tf", "tf2_msgs/msg/TFMessage")
ROBOT_DESCRIPTION = Topic("/robot_description", "std_msgs/msg/String", latched=True)
DIAGNOSTICS = Topic("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray")

TOPICS = (
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
