"""`hetwin machines draw`: a network as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite._commands.options import option
from hetwin_suite._commands.result import Result
from hetwin_suite.cli.machines.arguments import Net

if TYPE_CHECKING:
    from hetwin_core.machines.drawing.graph import Went
    from hetwin_core.machines.network import Network


def draw(
    net: Net,
    out: Annotated[Path, option("--out", "SVG file")],
    way: Annotated[
        Path | None,
        typer.Option("--way", help="what hetwin machines run --trace --json has printed"),
    ] = None,
) -> Result:
    """Draw a network: decisions as diamonds, pushes and pops as bubbles, the top of the stack as a hexagon.

    With a trace of it, the way taken is blue, with how often, and faults are red, with their reasons.

    Example: hetwin machines draw counter --out counter.svg
    """
    from hetwin_core.ensemble.writing import write_text
    from hetwin_core.machines.drawing.picture import draw as picture
    from model_nodes.network_files import find_network, load_network

    file = find_network(net)
    network = load_network(file)
    went, said = _went(network, way) if way is not None else (None, "")
    write_text(out, picture(network, file.stem, went, said), where="--out")
    return Result({"file": str(out.resolve())}, [f"wrote {out}"])


def _went(network: Network, trace: Path) -> tuple[dict[str, Went], str]:
    from hetwin_core.ensemble.errors import BadInput
    from hetwin_core.machines.drawing.went import went_of
    from hetwin_core.machines.seeing.replay import TraceError, read_trace, replay
    from hetwin_suite._commands.text_files import lines_of

    lines = lines_of(trace, "a trace, as hetwin machines run --trace --json prints it")
    try:
        return went_of(network, replay(network, read_trace(lines)))
    except TraceError as error:
        raise BadInput(str(error), file=trace) from None
