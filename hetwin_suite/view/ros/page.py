"""Serves the page of a run over ROS 2: ``ros2 run hetwin page``, or ``show:=true`` of the launch file."""

from __future__ import annotations

import os
import sys
import time

from rclpy.node import Node

from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.interrupts import Interrupts, block_signals
from hetwin_core.wire.names import declare
from hetwin_suite.view.live.doors import LOOPBACK, require_websockets
from hetwin_suite.view.live.feed import RunEnd
from hetwin_suite.view.ros.run import RosRun

PARAMETERS: dict[str, tuple[str | int | float | bool, str]] = {
    "host": (LOOPBACK, "address at which the page is served; other machines can see it"),
    "port": (8770, "port of the page; 0: a free port, which is also used if 8770 is in use"),
}
"""Name -> default and description."""
_LOOK_S = 0.1
_LAST_WORD_S = 1.0


def main() -> None:
    """Serve until a signal or the parent's exit; exit code 2 if the page cannot be served."""
    block_signals()  # blocks signals in all threads started from here on
    run = RosRun()
    node = run.listen(arguments=sys.argv[1:])
    try:
        with Interrupts() as interrupts:
            _serve(run, node, interrupts)
    except HetwinError as error:
        node.get_logger().error(str(error))
        sys.exit(2)
    finally:
        run.close()


def _serve(run: RosRun, node: Node, interrupts: Interrupts) -> None:
    """Serve the page until a signal or the parent's exit.

    Raises:
        BadInput: if the page cannot be served.
    """
    require_websockets("page")
    from hetwin_suite.view.live.server import PORT, LiveServer

    parent = os.getppid()
    declare(node, PARAMETERS)
    host, port = (node.get_parameter(name).value for name in PARAMETERS)
    log = node.get_logger()
    server = LiveServer(
        run, run, host=host, port=None if port == PORT else port, complain=log.warning
    )
    text = f"the run is shown at {server.address}"
    log.info(text)
    while not interrupts.count and os.getppid() == parent:
        time.sleep(_LOOK_S)
    end = time.monotonic() + _LAST_WORD_S
    while run.over is None and time.monotonic() < end:  # the signal may have ended the run
        time.sleep(_LOOK_S)
    if run.over is None:
        run.end(RunEnd("stopped", "the page's process has ended, the run may go on"))
    server.close()
