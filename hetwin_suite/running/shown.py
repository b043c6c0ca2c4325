"""Carries out a run and shows it while it runs, on the page or in viewers of installed packages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.interrupts import Interrupted
from hetwin_suite.running.carry_out import LiveRun, carry_out
from hetwin_suite.running.progress import Display
from hetwin_suite.running.request import Ended, RunRequest
from hetwin_suite.view.live.doors import LOOPBACK, need_websockets, open_in_browser
from hetwin_suite.view.live.feed import Over
from hetwin_suite.view.live.watched_run import WatchedRun
from hetwin_suite.view.viewers import ViewerAt

if TYPE_CHECKING:
    from hetwin_suite.view.ros.run import RosRun


def ros_run() -> RosRun:
    """Return the view of a run over ROS 2.

    Raises:
        BadInput: if ROS 2 is not installed.
    """
    from hetwin_suite.running.over_ros import need_ros

    need_ros()
    from hetwin_suite.view.ros.run import RosRun

    return RosRun()


@dataclass(frozen=True, slots=True)
class Window:
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
    viewers: Sequence[ViewerAt] = ()


def carry_out_shown(
    request: RunRequest, display: Display, window: Window, say: Callable[[str], None]
) -> Ended:
    """Run as `carry_out` does, watched, and show the run and its result.

    Args:
        request, display: see `carry_out`.
        window: settings of the views.
        say: prints a line with the address of a view.

    Raises:
        BadInput: if the page cannot be served, or for the reasons of `carry_out`.
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
    """Serve the page, and open it in a browser if configured; returns its address."""
    need_websockets("--show")
    from hetwin_suite.view.live.server import LiveServer

    server = LiveServer(live, live, host=window.host, port=window.port, complain=complain)
    ending.callback(server.close)
    if window.browser:
        open_in_browser(server.address)
    return server.address
