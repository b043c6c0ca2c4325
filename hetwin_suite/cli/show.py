"""`hetwin show`: finished runs in the browser, in Foxglove, or as files."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.supervision.interrupts import Interrupts
from hetwin_suite._commands.options import AsJson, Foxglove, OpenPage, PageHost, PagePort, option
from hetwin_suite._commands.result import Page, Result, present
from hetwin_suite._commands.tables import table

_LOOK_S = 0.1
Written: TypeAlias = tuple[dict[str, Any], list[str]]
"""What JSON says of a file that was written, and what a person reads."""
Writer: TypeAlias = Callable[[Path, Path], Written]
"""Writes a run as a file."""


def show(
    run: Annotated[Path, typer.Argument(help="folder of a run, or of predicted futures")],
    other: Annotated[
        Path | None, typer.Argument(help="folder of a run to be shown beside it")
    ] = None,
    out: Annotated[
        list[str] | None,
        option(
            "--out",
            "show nothing, but write X.html (the report), X.rrd (for Rerun), X.mcap (for Foxglove and Lichtblick), or "
            "X.parquet or another folder (the tables); an ending alone: report.html ... in the run's folder; may be "
            "given several times",
        ),
    ] = None,
    port: PagePort = None,
    browser: OpenPage = True,
    host: PageHost = "127.0.0.1",
    foxglove: Foxglove = None,
    as_json: AsJson = False,
) -> Result | None:
    """Show a finished run in the browser, or two side by side: any time at once, played at any speed.

    The page is served until Ctrl-C. With --foxglove the run is played to Foxglove and Lichtblick instead. With --out
    it is written: as its report, one HTML file that needs nothing else, as a file of other viewers, in the colours of
    who is responsible, or as Parquet files, one for each view of hetwin ask --sql.

    For example:

    hetwin show runs/today --no-browser

    hetwin show runs/good runs/moved --port 0

    hetwin show runs/today --out .html

    hetwin show runs/today --out today.mcap --out runs/today/parquet
    """
    if out is not None:
        return _written(run, other, out)
    if foxglove is not None:
        _play(run, other, foxglove, as_json=as_json)
    else:
        _serve(run, other, (host, port), browser=browser, as_json=as_json)
    return None


def _written(run: Path, other: Path | None, out: Sequence[str]) -> Result:
    """Write a run as each file that is asked for; nothing if one of them is of no kind that there is."""
    from hetwin_suite.running.patience import never_silent

    if other is not None:
        raise BadInput("one run is written at a time", where="--out", expected="one run")
    wanted = [_writer(run, text) for text in out]
    with never_silent(lambda: "writing the run"):
        written = [write(run, file) for write, file in wanted]
    document: dict[str, Any] = {}
    for found, _ in written:
        states = {**document.get("states", {}), **found.get("states", {})}
        document |= {**found, "states": states} if states else found
    return Result(document, [line for _, lines in written for line in lines])


def _writer(run: Path, text: str) -> tuple[Writer, Path]:
    """Return what writes a file of this name, and the file; an ending alone is one in the run's folder.

    Raises:
        BadInput: if there is no such kind.
    """
    if text in _ALONE:
        return _WRITERS[text], run / _ALONE[text]
    ending = Path(text).suffix
    if not text or ending not in _WRITERS:
        raise BadInput(
            "this says no kind of file",
            where="--out",
            found=text,
            expected="X.html, X.rrd, X.mcap, X.parquet or a folder",
        )
    return _WRITERS[ending], Path(text)


def _write_page(run: Path, file: Path) -> Written:
    from hetwin_suite.view.report import report_page

    Page(file, lambda: report_page(run)).write()
    return {"page": str(file)}, [f"page: {file}"]


def _write_states(run: Path, file: Path) -> Written:
    from hetwin_core.episodes.run_folder import folder_of
    from hetwin_suite.view.foxglove.file import write_foxglove_file
    from hetwin_suite.view.rerun.export import write_rerun

    write = write_rerun if file.suffix == ".rrd" else write_foxglove_file
    states = write(folder_of(run), file)
    return {"states": {str(file): states}}, [f"{file}: {states} states"]


def _write_tables(run: Path, out: Path) -> Written:
    from hetwin_core.episodes.sql.parquet import write_tables

    written = write_tables(run, out)
    rows = {item.view: {"rows": item.rows, "bytes": item.size} for item in written}
    kib = [(item.view, str(item.rows), f"{item.size / 1024:.0f}") for item in written]
    return {"folder": str(out), "tables": rows}, table(("table", "rows", "KiB"), kib)


_WRITERS: Mapping[str, Writer] = {
    ".html": _write_page,
    ".rrd": _write_states,
    ".mcap": _write_states,
    ".parquet": _write_tables,
    "": _write_tables,
}
_ALONE = {".html": "report.html", ".rrd": "run.rrd", ".mcap": "run.mcap", ".parquet": "tables"}


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
        present(
            Result({key: address}, [f"{said} {address} until Ctrl-C"]), as_json=as_json, indent=None
        )
        while interrupts.first is None:
            time.sleep(_LOOK_S)
    raise typer.Exit(interrupts.code)
