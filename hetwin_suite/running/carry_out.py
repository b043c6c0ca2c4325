"""Carries a requested run out, by the transport that it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from hetwin_suite.running.local import run_locally
from hetwin_suite.running.progress import Display, ProgressListener
from hetwin_suite.running.request import Ended, RunRequest

if TYPE_CHECKING:
    from hetwin_suite.view.live.watched_run import WatchedRun
    from hetwin_suite.view.ros.run import RosRun

LiveRun: TypeAlias = "WatchedRun | RosRun"
"""A run as people see it while it goes on and take it in hand."""


def carry_out(
    request: RunRequest,
    display: Display,
    *,
    watched: bool,
    live: LiveRun | None = None,
) -> Ended:
    """Run; SIGINT, SIGTERM and SIGHUP end the run at its next barrier.

    Args:
        request: the run, and its transport.
        display: where progress is shown.
        watched: run local models in a child process, so that one that hangs or crashes is named and ended.
        live: the view of a run that is watched, or goes over ROS 2; None: nothing.

    Raises:
        BadInput: if the scenario, its files or the source cannot be used.
        HetwinError: if the run fails before it has a folder.
        Interrupted: if it is interrupted before it begins.
    """
    if request.options.transport == "ros":
        from hetwin_suite.running.over_ros import run_over_ros

        return run_over_ros(request, display, cast("RosRun | None", live))
    if watched:
        from hetwin_suite.running.watched import run_watched

        return run_watched(request, display, cast("WatchedRun | None", live))
    listeners = [] if type(display) is Display else [ProgressListener(display)]
    with request.loaded() as (scenario, out):
        return run_locally(request, scenario, out, *listeners)
