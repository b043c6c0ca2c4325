"""`hetwin compare`: the first divergence of two runs, its causes and its consequences."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_suite.command import (
    BadInput,
    Jobs,
    Page,
    Result,
    Run,
    Trust,
    import_library,
    option,
    table,
)

if TYPE_CHECKING:
    from hetwin_compare.comparison import Comparison
    from hetwin_suite.model import Json


def compare(
    run: Run,
    other: Annotated[Path | None, typer.Argument(help="folder of the run to compare with")] = None,
    planned: Annotated[
        bool,
        typer.Option(
            "--planned",
            help="compare with the same scenario as believed and planned, which is run first without draws",
        ),
    ] = False,
    noise: Annotated[
        bool,
        typer.Option(
            "--noise", help="ignore differences below the spread of 8 futures of the first run"
        ),
    ] = False,
    jobs: Jobs = None,
    out: Annotated[
        Path | None, option("--out", "file for a page with both runs side by side")
    ] = None,
    trust: Trust = False,
) -> Result:
    """Find the first divergence of two runs, with the differences of their inputs and the consequences.

    For example:

    hetwin compare runs/good runs/moved

    hetwin compare runs/good runs/moved --out compared.html

    hetwin compare runs/moved --planned
    """
    from hetwin_compare.compare import compare_runs
    from hetwin_suite.command import never_silent

    if out is not None and out.is_dir():
        raise BadInput("this is a folder", where="--out", found=str(out), expected="a file")
    if (other is None) is not planned:
        raise BadInput(
            "a run is compared with one other",
            where="OTHER, --planned",
            found="neither" if other is None else "both",
            expected="the folder of another run, or --planned",
        )
    with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
        with never_silent(lambda: "comparing the runs"):
            if other is None:
                other = Path(folder) / "planned"
                _futures("--planned").run_as_planned(run, other, trust=trust)
            found = compare_runs(run, other)
        if noise or planned:
            found = _futures("--noise").less_noise(run, found, jobs, trust=trust)
        page = None if out is None else _page(found, run, other, out)
    return Result(found, _lines(found), page=page)


def _page(found: Comparison, run: Path, other: Path, out: Path) -> Page:
    """Draw the page at once, while the folders of both runs exist."""
    from hetwin_compare.page import comparison_page

    drawn = comparison_page(found, run, other)
    return Page(out, lambda: drawn)


def _futures(option: str) -> Any:
    """Return the module that makes further runs of the scenario; BadInput if its package is missing."""
    needed = f"{option} makes further runs"
    return import_library("futures", "hetwin_futures.comparing", needed, where=option)


def _lines(found: Comparison) -> Iterator[str]:
    """Yield the differences as lines of text; here is the first run, there the other one."""
    rows = [
        (name, f"{row['time']:.2f} s", ", ".join(row["entities"]))
        for name, row in found.to_json()["divergence"].items()
        if row is not None
    ]
    if not rows and not found.chain:
        yield "no difference"
        return
    yield from found.chain
    off = [
        (name, f"{apart.first_ns / 1e9:.2f} s", f"{apart.most:.3f} m", f"{apart.end:.3f} m")
        for name, apart in found.objects.items()
        if apart.first_ns is not None
    ]
    spread = [(name, f"{far:.3f} m") for name, far in found.noise.items() if far > 0.0]
    handed = [*_handovers(found.only_here, "here"), *_handovers(found.only_there, "there")]
    tables: Sequence[tuple[tuple[str, ...], Sequence[tuple[str, ...]]]] = (
        (("differs first", "at", "about"), rows),
        (("object", "is off from", "at most", "at the end"), off),
        (("object", "spreads anyway by"), spread),
        (("handover only", "at", "of", "from", "to"), handed),
    )
    for header, lines in tables:
        if lines:
            yield from ("", *table(header, lines))


def _handovers(rows: Sequence[Mapping[str, Json]], where: str) -> list[tuple[str, ...]]:
    return [
        (where, f"{row['time']:.2f} s", f"{row['entity']}.{row['attribute']}", *_owners(row))
        for row in rows
    ]


def _owners(row: Mapping[str, Json]) -> tuple[str, str]:
    return str(row["from"]), str(row["to"])
