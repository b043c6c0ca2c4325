"""Carries a requested run out, by the transport that it asks for, and shows it meanwhile if that is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.interrupts import Interrupted
from hetwin_suite.running.local import run_locally
from hetwin_suite.running.progress import Display, ProgressListener
from hetwin_suite.running.request import Ended, RunRequest
from hetwin_suite.view.live.feed import Over
from hetwin_suite.view.live.watched_run import WatchedRun
from hetwin_suite.view.viewers import ViewerAt

if TYPE_CHECKING:
    from hetwin_suite.view.ros.run import RosRun

LiveRun: TypeAlias = "WatchedRun | RosRun"
"""A run as people see it while it goes on and take it in hand."""


def ros_run() -> RosRun:
    """Return what people see of a run over ROS 2.

    Raises:
        BadInput: if ROS 2 is not there.
    """
    from hetwin_suite.running.over_ros import need_ros

    need_ros()
    from hetwin_suite.view.ros.run import RosRun

    return RosRun()


def carry_out(
    request: RunRequest,
    display: Display,
    *,
    watched: bool,
    live: LiveRun | None = None,
) -> Ended:
    """Run; SIGINT, SIGTERM and SIGHUP end the run at its next barrier.

    Args:
        request: what to run, and over which transport.
        display: where progress is shown.
        watched: run local models in a child process, so that one that hangs or crashes is named and ended.
        live: what people see of a run that is watched, or goes over ROS 2; None: nothing.

    Raises:
        BadInput: if the scenario, its files or the source cannot be used.
        HetwinError: if the run fails before it has a folder.
        Interrupted: if it is interrupted before it begins.
    """
    if request.options.transport == "ros":
        from hetwin_suite.running.over_ros import run_over_ros

        assert not isinstance(live, WatchedRun)
        return run_over_ros(request, display, live)
    if watched:
        from hetwin_suite.running.watched import run_watched

        assert live is None or isinstance(live, WatchedRun)
        return run_watched(request, display, live)
    listeners = [] if type(display) is Display else [ProgressListener(display)]
    with request.loaded() as (scenario, out):
        return run_locally(request, scenario, out, *listeners)


@dataclass(frozen=True, slots=True)
class Window:
    """Where a run is shown: on a page, in viewers of installed packages, or both.

    Attributes:
        host: address to listen on.
        port: to listen on; 0 for a free one, None for the usual one, or a free one if that is taken.
        browser: whether to open one, where there is a screen.
        page: whether there is a page.
        viewers: that show it too.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    browser: bool = True
    page: bool = True
    viewers: Sequence[ViewerAt] = ()


def carry_out_shown(
    request: RunRequest, display: Display, window: Window, say: Callable[[str], None]
) -> Ended:
    """Run as `carry_out` does, watched, and show it meanwhile, and then how it has ended.

    Args:
        request, display: see `carry_out`.
        window: where it is shown.
        say: prints a line that says where it is shown.

    Raises:
        BadInput: if the page cannot be served; and as `carry_out` does.
    """
    live = ros_run() if request.options.transport == "ros" else WatchedRun()
    with ExitStack() as ending:
        if window.page:
            say(f"the run is shown at {_serve_page(live, window, display.line, ending)}")
        for viewer in window.viewers:
            found = viewer.load().follow(live, live, viewer.port)
            ending.callback(found.close)
            say(f"{found.told} {found.address}")
        display.follow(live)
        try:
            ended = carry_out(request, display, watched=True, live=live)
        except (HetwinError, Interrupted) as error:
            live.end(Over("failed", str(error)))
            raise
        live.end(_over(ended))
        return ended


def _over(ended: Ended) -> Over:
    summary = ended.summary
    error = summary.get("error")
    text = str(summary["ended"]) if error is None else f"failed: {error['reason']}"
    return Over(str(summary["ended"]), text, bool(summary["deterministic"]), str(ended.folder))


def _serve_page(
    live: LiveRun, window: Window, complain: Callable[[str], None], ending: ExitStack
) -> str:
    """Serve the page, and open it; returns its address."""
    from hetwin_suite.view.live.library import need_websockets

    need_websockets("--show")
    from hetwin_suite.view.live.doors import open_in_browser
    from hetwin_suite.view.live.server import LiveServer

    server = LiveServer(live, live, host=window.host, port=window.port, complain=complain)
    ending.callback(server.close)
    if window.browser:
        open_in_browser(server.address)
    return server.address
