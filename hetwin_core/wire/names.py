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
STEPS = "hetwin/steps"
STANDARD = "hetwin/"
"""Before the names of the services of simulation_interfaces."""
CLOCK = "clock"
TRANSFORMS = "tf"
STATIC_TRANSFORMS = "tf_static"
DIAGNOSTICS = "diagnostics"
ROBOT_DESCRIPTION = "robot_description"

STEP_DEPTH = 100
"""A model is asked for its next step when it has answered the last one; a late one may have a few to read."""

SERVICE_DEPTH = 1000
"""With the default of 10, bursts of requests are lost without a word."""
