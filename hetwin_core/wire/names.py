"""Services, topics of a model's node, and depths of queues that both ends of the ROS 2 transport share.

Names are relative, to follow the namespace. The topics that others may listen to are in `ensemble.topics`.
"""

from __future__ import annotations

REGISTER = "hetwin/register_model"
NOTIFY = "hetwin/notify_event"
ANNOTATE = "hetwin/annotate_action"
SIMULATE = "hetwin/simulate"
STOP = "hetwin/stop_simulation"
CONTROL = "hetwin/control"
HAND_OVER = "hetwin/hand_over"
STANDARD = "hetwin/"
"""Prefix of the services of simulation_interfaces."""
CALL = "call"
OUTPUT = "output"
"""Topics of a model's node, below its name."""


def of_run(name: str, run: str) -> str:
    """The name at which the conductor of a run is reached by those who know its token, and no other conductor is.

    Args:
        name: for all, such as `REGISTER`.
        run: token of the run; empty: the run of the namespace, whichever that is.
    """
    return name.replace("hetwin/", f"hetwin/{run}/") if run else name


STEP_DEPTH = 100
"""A model gets its next call when it has returned the last one; one that is late may have a few to read."""

SERVICE_DEPTH = 1000
"""With the default of 10, bursts of requests are lost, and nothing reports it."""
