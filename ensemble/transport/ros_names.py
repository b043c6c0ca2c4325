"""Names and depths that both ends of the ROS 2 transport share; relative names follow the namespace."""

from __future__ import annotations

REGISTER = "hetwin/register_model"
NOTIFY = "hetwin/notify_event"
ANNOTATE = "hetwin/annotate_action"
SIMULATE = "hetwin/simulate"
STOP = "hetwin/stop_simulation"
STATE = "hetwin/state"
EVENTS = "hetwin/events"
HANDOVERS = "hetwin/handovers"
RESPONSIBILITIES = "hetwin/responsibilities"
REGISTRY = "hetwin/registry"
MARKERS = "hetwin/markers"
ANNOTATIONS = "action_annotations"
STANDARD = "hetwin/"
"""Before the names of the services of simulation_interfaces."""
CLOCK = "clock"
TRANSFORMS = "tf"
DIAGNOSTICS = "diagnostics"
ROBOT_DESCRIPTION = "robot_description"

SERVICE_DEPTH = 1000
"""With the default of 10, bursts of requests are lost without a word."""
