"""`hetwin show`: finished runs in the browser, in Foxglove, or as files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import FORMATS as BROUGHT
from hetwin_core.ensemble.installed import Group
from hetwin_core.ensemble.supervision.interrupts import Interrupts
from hetwin_suite._commands.options import (
    AsJson,
    Foxglove,
    OpenPage,
    PageHost,
    PagePort,
    Viewers,
    option,
)
from hetwin_suite._commands.result import Page, Result, present
from hetwin_suite.view.viewers import RequestedViewer, requested_viewers

_POLL_PERIOD_S = 0.1
Writer: TypeAlias = Callable[[Path, Path], Result]
"""Function (run folder, file) that writes a run as a file, and returns the command's result."""
FORMATS = Group(
    "hetwin.formats",
    "format of files",
    "a function (run, file) that writes a run as a file and returns a Result",
    BROUGHT,
)


def show(
    run: Annotated[Path, typer.Argument(help="folder of a run, or of predicted futures")],
    other: Annotated[
        Path | None, typer.Argument(help="folder of a second run, shown beside the first")
    ] = None,
    out: Annotated[
        list[str] | None,
        option(
            "--out",
            "write instead of showing: X.html (the report), X.rrd (for Rerun), X.mcap (for Foxglove and Lichtblick), "
            "X.parquet or another folder (the tables); only an ending such as .html: report.html in the run's folder; "
            "may be given several times",
        ),
    ] = None,
    port: PagePort = None,
    browser: OpenPage = True,
    host: PageHost = "127.0.0.1",
    foxglove: Foxglove = None,
    viewer: Viewers = None,
    as_json: AsJson = False,
) -> Result | None:
    """Show a finished run in the browser, or two side by side, with a player that can jump to any time.

    The page is served until Ctrl-C. With --foxglove the run is played to Foxglove and Lichtblick instead. With --out
    the run is written: as its report in one self-contained HTML file; as a file for another viewer, with objects in the
    colours of the responsible models; or as Parquet files, one for each view of hetwin ask --sql.

    For example:

    hetwin show runs/today --no-browser

    hetwin show runs/good runs/moved --port 0

    hetwin show runs/today --out .html

    hetwin show runs/today --out today.mcap --out runs/today/parquet
    """
    if out is not None:
        return _written(run, other, out)
    viewers = requested_viewers(viewer, foxglove)
    if len(viewers) > 1:
        raise BadInput("a run is played in one viewer", where="--viewer", expected="one of them")
    if viewers:
        _play(run, other, viewers[0], as_json=as_json)
    else:
        _serve(run, other, (host, port), browser=browser, as_json=as_json)
    return None


def _written(run: Path, other: Path | None, out: Sequence[str]) -> Result:
    """Write a run as each requested file; nothing is written if one of the formats is unknown."""
    from hetwin_core.episodes.run_folder import folder_of
    from hetwin_suite.running.patience import never_silent

    if other is not None:
        raise BadInput("one run is written at a time", where="--out", expected="one run")
    wanted = [_writer(run, text) for text in out]
    with never_silent(lambda: "writing the run"):
        written = [write(folder_of(run), file) for write, file in wanted]
    document: dict[str, Any] = {}
    for result in written:
        states = {**document.get("states", {}), **result.document.get("states", {})}
        document |= {**result.document, "states": states} if states else result.document
    return Result(document, [line for result in written for line in result.lines])


def _writer(run: Path, text: str) -> tuple[Writer, Path]:
    """Return the writer for a value of `--out`, and the file to write.

    Args:
        run: folder of the run.
        text: a file name; or only an ending, which stands for a file in the run's folder.

    Raises:
        BadInput: if the format is unknown.
    """
    known = ("html", *FORMATS.known())
    is_ending = text.startswith(".") and text[1:] in known
    ending = text[1:] if is_ending else Path(text).suffix[1:] or (_FOLDER_FORMAT if text else "")
    if ending not in known:
        raise BadInput(
            "the format of this file is unknown",
            where="--out",
            found=text,
            expected=f"{', '.join(f'X.{ending}' for ending in known)} or a folder",
        )
    write = _write_page if ending == "html" else FORMATS.load(ending, "--out")
    return write, run / _NAMES_IN_RUN.get(ending, f"run.{ending}") if is_ending else Path(text)


def _write_page(run: Path, file: Path) -> Result:
    from hetwin_suite.view.report import report_page

    Page(file, lambda: report_page(run)).write()
    return Result({"page": str(file)}, [f"page: {file}"])


_FOLDER_FORMAT = "parquet"
"""Format that is written to a folder."""
_NAMES_IN_RUN = {"html": "report.html", "parquet": "tables"}
"""Ending without a file name -> name in the run's folder; run.ENDING for all other endings."""


def page_to_show(run: Path, other: Path | None = None) -> str:
    """Return the page of a run, of two runs side by side, or of predicted futures, as self-contained HTML.

    Args:
        run: folder of the run, or of predicted futures.
        other: folder of the second run; None: only one run is shown.

    Raises:
        BadInput: if there is no such run, it cannot be read, or the package for comparisons is not installed.
    """
    from hetwin_core.ensemble.installed import import_library
    from hetwin_core.ensemble.limits import read_text
    from hetwin_core.episodes.run_folder import FORECAST, folder_of
    from hetwin_suite.view.report.page import report_page

    if other is None and (run / FORECAST).is_file():
        return read_text(run / FORECAST)
    first = folder_of(run)
    if other is None:
        return report_page(first)
    pages = import_library("compare", "hetwin_compare.page", "two runs side by side are compared")
    page: str = pages.compared_page(first, folder_of(other))
    return page


def _serve(
    run: Path, other: Path | None, at: tuple[str, int | None], *, browser: bool, as_json: bool
) -> None:
    """Serve the page until Ctrl-C."""
    from hetwin_suite.running.patience import never_silent
    from hetwin_suite.view.live.doors import open_in_browser, require_websockets

    require_websockets("show")
    from hetwin_suite.view.live.server import PageServer

    with never_silent(lambda: "drawing the page"):
        page = page_to_show(run, other)
    host, port = at
    server = PageServer(page, host=host, port=port)
    try:
        if browser:
            open_in_browser(server.address)
        _wait("the page is at", "page", server.address, as_json=as_json)
    finally:
        server.close()


def _play(run: Path, other: Path | None, viewer: RequestedViewer, *, as_json: bool) -> None:
    """Play a run in a viewer until Ctrl-C."""
    from hetwin_core.episodes.run_folder import folder_of

    if other is not None:
        raise BadInput("a viewer shows one run at a time", where=viewer.option, expected="one run")
    shown = viewer.load().play(folder_of(run), viewer.port)
    try:
        _wait(shown.told, viewer.name, shown.address, as_json=as_json)
    finally:
        shown.close()


def _wait(text: str, key: str, address: str, *, as_json: bool) -> None:
    """Print the address at which the run is shown, and wait for an interrupt.

    Args:
        text: sentence before the address.
        key: key of the address in JSON.
        address: the address.
        as_json: whether to print JSON.
    """
    with Interrupts() as interrupts:
        present(
            Result({key: address}, [f"{text} {address} until Ctrl-C"]), as_json=as_json, indent=None
        )
        while interrupts.first is None:
            time.sleep(_POLL_PERIOD_S)
    raise typer.Exit(interrupts.code)
