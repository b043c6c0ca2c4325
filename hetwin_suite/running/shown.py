"""Executes a run and shows it while it runs, on the page or in viewers of installed packages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.interrupts import Interrupted
from hetwin_suite.running.carry_out import LiveRun, execute_run
from hetwin_suite.running.progress import Display
from hetwin_suite.running.request import FinishedRun, RunRequest
from hetwin_suite.view.live.doors import LOOPBACK, open_in_browser, require_websockets
from hetwin_suite.view.live.feed import RunEnd
from hetwin_suite.view.live.watched_run import WatchedRun
from hetwin_suite.view.viewers import RequestedViewer

if TYPE_CHECKING:
    from hetwin_suite.view.ros.run import RosRun


def ros_run() -> RosRun:
    """Return the view of a run over ROS 2.

    Raises:
        BadInput: if ROS 2 is not installed.
    """
    from hetwin_suite.running.over_ros import require_ros

    require_ros()
    from hetwin_suite.view.ros.run import RosRun

    return RosRun()


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """Settings of the views of a run: the page, viewers of installed packages, or both.

    Attributes:
        host: address at which the page is served.
        port: port of the page; 0: a free port; None: the default port, or a free one if that is in use.
        browser: whether to open a browser, if there is a screen.
        page: whether to serve the page.
        viewers: viewers that show the run, too.
    """

    host: str = LOOPBACK
    port: int | None = None
    browser: bool = True
    page: bool = True
    viewers: Sequence[RequestedViewer] = ()


def execute_shown_run(
    request: RunRequest, display: Display, window: ViewSettings, say: Callable[[str], None]
) -> FinishedRun:
    """Run as `execute_run` does, watched, and show the run and its result.

    Args:
        request, display: see `execute_run`.
        window: settings of the views.
        say: prints a line with the address of a view.

    Raises:
        BadInput: if the page cannot be served, or for the reasons of `execute_run`.
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
            ended = execute_run(request, display, watched=True, live=live)
        except (HetwinError, Interrupted) as error:
            live.end(RunEnd("failed", str(error)))
            raise
        live.end(_over(ended))
        return ended


def _over(ended: FinishedRun) -> RunEnd:
    summary = ended.summary
    error = summary.get("error")
    text = str(summary["ended"]) if error is None else f"failed: {error['reason']}"
    return RunEnd(str(summary["ended"]), text, bool(summary["deterministic"]), str(ended.folder))


def _serve_page(
    live: LiveRun, window: ViewSettings, complain: Callable[[str], None], ending: ExitStack
) -> str:
    """Serve the page, and open it in a browser if configured; returns its address."""
    require_websockets("--show")
    from hetwin_suite.view.live.server import LiveServer

    server = LiveServer(live, live, host=window.host, port=window.port, complain=complain)
    ending.callback(server.close)
    if window.browser:
        open_in_browser(server.address)
    return server.address
