"""`hetwin compare`: where two runs part."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.cli.options import AsJson
from hetwin_suite.cli.tables import show_table

if TYPE_CHECKING:
    from hetwin_core.ensemble.events import Json
    from hetwin_core.projection.comparing.comparison import Comparison


def compare(
    run: Annotated[Path, typer.Argument(help="folder of a run")],
    other: Annotated[Path, typer.Argument(help="folder of the run that it is compared with")],
    out: Annotated[
        Path | None, typer.Option("--out", help="file for a page with both runs side by side")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say where two runs part: what they were given, what differs first, and what comes of it.

    For example:

    hetwin compare runs/good runs/moved

    hetwin compare runs/good runs/moved --out compared.html
    """
    from hetwin_core.projection.comparing.compare import compare_runs
    from hetwin_suite.running.patience import never_silent

    if out is not None and out.is_dir():
        raise BadInput("this is a folder", where="--out", found=str(out), expected="a file")
    with never_silent(lambda: "comparing the runs"):
        found = compare_runs(run, other)
        if out is not None:
            from hetwin_suite.view.show.comparison_page import write_comparison

            write_comparison(found, run, other, out)
    if as_json:
        print(json.dumps({**found.to_json(), **({} if out is None else {"page": str(out)})}))
    else:
        _show(found)
        if out is not None:
            print(f"page: {out}")


def _show(found: Comparison) -> None:
    """Print what differs; here is the first run, there the other."""
    rows = [
        (name, f"{row['time']:.2f} s", ", ".join(row["entities"]))
        for name, row in found.to_json()["divergence"].items()
        if row is not None
    ]
    if not rows and not found.chain:
        print("no difference")
        return
    for line in found.chain:
        print(line)
    if rows:
        print()
        show_table(("differs first", "at", "about"), rows)
    off = [
        (name, f"{apart.first_ns / 1e9:.2f} s", f"{apart.most:.3f} m", f"{apart.end:.3f} m")
        for name, apart in found.objects.items()
        if apart.first_ns is not None
    ]
    if off:
        print()
        show_table(("object", "is off from", "at most", "at the end"), off)
    handed = [*_handovers(found.only_here, "here"), *_handovers(found.only_there, "there")]
    if handed:
        print()
        show_table(("handover only", "at", "of", "from", "to"), handed)


def _handovers(rows: Sequence[Mapping[str, Json]], where: str) -> list[tuple[str, ...]]:
    return [
        (where, f"{row['time']:.2f} s", f"{row['entity']}.{row['attribute']}", *_owners(row))
        for row in rows
    ]


def _owners(row: Mapping[str, Json]) -> tuple[str, str]:
    return str(row["from"]), str(row["to"])
