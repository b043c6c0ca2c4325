"""Carries a requested run out and shows it meanwhile, on a page or in viewers of installed packages."""

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
        BadInput: if ROS 2 is not there.
    """
    from hetwin_suite.running.over_ros import need_ros

    need_ros()
    from hetwin_suite.view.ros.run import RosRun

    return RosRun()


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

    host: str = LOOPBACK
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
        say: prints a line about where it is shown.

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
    need_websockets("--show")
    from hetwin_suite.view.live.server import LiveServer

    server = LiveServer(live, live, host=window.host, port=window.port, complain=complain)
    ending.callback(server.close)
    if window.browser:
        open_in_browser(server.address)
    return server.address
