"""Carries a requested run out, by the transport that it asks for."""

from __future__ import annotations

from hetwin_suite.running.ended import Ended
from hetwin_suite.running.local import run_locally
from hetwin_suite.running.placing import Placing
from hetwin_suite.running.progress import Display, ProgressListener
from hetwin_suite.running.request import RunRequest


def carry_out(request: RunRequest, display: Display, placing: Placing, *, watched: bool) -> Ended:
    """Run; SIGINT and SIGTERM end the run at its next barrier.

    Args:
        request: what to run, and over which transport.
        display: where progress is shown.
        placing: where the nodes are, if it runs over ROS 2.
        watched: run local models in a child process, so that one that hangs or crashes is named and ended.

    Raises:
        BadInput: if the scenario, its files or the source cannot be used.
        HetwinError: if the run fails before it has a folder.
        Interrupted: if it is interrupted before it begins.
    """
    if request.options.transport == "ros":
        from hetwin_suite.running.ros import run_over_ros

        return run_over_ros(request, display, placing)
    if watched:
        from hetwin_suite.running.watched import run_watched

        return run_watched(request, display)
    scenario, out = request.load()
    return run_locally(scenario, request.options, out, ProgressListener(display))
