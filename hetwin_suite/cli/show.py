"""`hetwin show`: finished runs in the browser, or in Foxglove."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.supervision.interrupts import Interrupts
from hetwin_suite.cli.options import AsJson, Foxglove, OpenPage, PageHost, PagePort

_LOOK_S = 0.1


def show(
    run: Annotated[Path, typer.Argument(help="folder of a run, or of predicted futures")],
    other: Annotated[
        Path | None, typer.Argument(help="folder of a run to be shown beside it")
    ] = None,
    port: PagePort = None,
    browser: OpenPage = True,
    host: PageHost = "127.0.0.1",
    foxglove: Foxglove = None,
    as_json: AsJson = False,
) -> None:
    """Show a finished run in the browser, or two side by side: any time at once, played at any speed.

    The page is served until Ctrl-C. With --foxglove the run is played to Foxglove and Lichtblick instead.

    For example:

    hetwin show runs/today --no-browser

    hetwin show runs/good runs/moved --port 0
    """
    if foxglove is not None:
        _play(run, other, foxglove, as_json=as_json)
    else:
        _serve(run, other, (host, port), browser=browser, as_json=as_json)


def _serve(
    run: Path, other: Path | None, at: tuple[str, int | None], *, browser: bool, as_json: bool
) -> None:
    """Serve the page until the user ends it."""
    from hetwin_suite.running.patience import never_silent
    from hetwin_suite.view.live.browsing import open_in_browser
    from hetwin_suite.view.live.library import need_websockets
    from hetwin_suite.view.show.looking import looking_page

    need_websockets("show")
    from hetwin_suite.view.live.page_server import PageServer

    with never_silent(lambda: "drawing the page"):
        page = looking_page(run, other)
    host, port = at
    server = PageServer(page, host=host, port=port)
    try:
        if browser:
            open_in_browser(server.address)
        _wait("the page is at", "page", server.address, as_json=as_json)
    finally:
        server.close()


def _play(run: Path, other: Path | None, port: int, *, as_json: bool) -> None:
    """Play a run to Foxglove until the user ends it."""
    if other is not None:
        raise BadInput(
            "Foxglove is shown one run at a time", where="--foxglove", expected="one run"
        )
    from hetwin_core.episodes.run_folder import folder_of
    from hetwin_suite.view.foxglove.recorded import Recorded
    from hetwin_suite.view.foxglove.replay import Replay

    replay = Replay(Recorded(folder_of(run)), port)
    playing = threading.Thread(target=replay.run, name="replay", daemon=True)
    playing.start()
    try:
        said = "Foxglove and Lichtblick find the run at"
        _wait(said, "foxglove", replay.server.address, as_json=as_json)
    finally:
        replay.close()


def _wait(said: str, key: str, address: str, *, as_json: bool) -> None:
    """Say where the run is shown, and wait for the signal that ends it."""
    with Interrupts() as interrupts:
        text = json.dumps({key: address}) if as_json else f"{said} {address} until Ctrl-C"
        print(text, flush=True)
        while interrupts.first is None:
            time.sleep(_LOOK_S)
    raise typer.Exit(interrupts.code)
