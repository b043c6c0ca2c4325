"""Executes a run with the requested transport."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from hetwin_suite.running.local import run_locally
from hetwin_suite.running.progress import Display, ProgressListener
from hetwin_suite.running.request import FinishedRun, RunRequest

if TYPE_CHECKING:
    from hetwin_suite.view.live.watched_run import WatchedRun
    from hetwin_suite.view.ros.run import RosRun

LiveRun: TypeAlias = "WatchedRun | RosRun"
"""View of an unfinished run, with controls for the user."""


def execute_run(
    request: RunRequest,
    display: Display,
    *,
    watched: bool,
    live: LiveRun | None = None,
) -> FinishedRun:
    """Execute the run; SIGINT, SIGTERM and SIGHUP end the run at its next barrier.

    Args:
        request: the run, and its transport.
        display: where progress is shown.
        watched: run local models in a child process, which is killed if a model hangs; the error names the model.
        live: view of the run, only with `watched` or over ROS 2; None: none.

    Raises:
        BadInput: if the scenario, its files or the source cannot be used.
        HetwinError: if the run fails before its folder exists.
        Interrupted: if the run is interrupted before it begins.
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
