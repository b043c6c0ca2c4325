"""`hetwin machines check`, `code` and `draw`: what a network is, without running it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_machines.commands.arguments import Net
from hetwin_suite.command import BadInput, Result, lines_of, option, write_text

if TYPE_CHECKING:
    from hetwin_machines.drawing.graph import Went
    from hetwin_machines.network import Network


def check(net: Net) -> Result:
    """Look for gaps between the guards of a state, guards that overlap, states out of reach and signals never set.

    Then it goes through the states that all machines can reach together, for two that set a signal to different values
    at once, and for signals that are read before they are set; where there are too many, it says where it stopped. Each
    finding names machine, state and arcs, and a case in which it comes about; findings are no error.

    Example: hetwin machines check counter
    """
    from hetwin_machines.checking.findings import findings
    from hetwin_machines.checking.product import explore, to_json
    from hetwin_machines.network_files import find_network, load_network

    network = load_network(find_network(net))
    explored = explore(network)
    found = [*findings(network), *explored.findings]
    names = [machine.name for machine in network.machines]
    lines = [
        f"  {finding.kind}: {f'{finding.machine}: ' if finding.machine else ''}{finding.text}"
        for finding in found
    ]
    head = f"{len(names)} machine{'s' if len(names) > 1 else ''}: {', '.join(names)}"
    return Result(
        {"machines": names, "findings": [f.to_json() for f in found], "product": to_json(explored)},
        [
            head,
            *(lines or ["  no findings"]),
            *explored.waits(),
            f"  {explored.in_words()}",
        ],
    )


def code(
    net: Net,
    out: Annotated[Path, option("--out", "file that ends with .py, .c or .lua")],
    node: Annotated[
        bool, typer.Option("--node", help="a node of ROS 2 round the Python code")
    ] = False,
) -> Result:
    """Write a network as Python, C99 or Lua: one plan a machine, each state and arc as in the drawing, no library.

    python -I FILE.py INPUTS.csv prints the lines of hetwin machines run --trace --json. C allocates nothing; with
    -DNETWORK_MAIN it is a program that reads steps and prints cycles. Lua is a module for Lua 5.4. A node hears
    ~/inputs and publishes ~/cycles, texts with JSON.

    Example: hetwin machines code counter --out counter.py
    """
    from hetwin_machines.network_files import find_network, load_network

    file = find_network(net)
    text = _writer(out, node=node)(load_network(file), file.name)
    write_text(out, text, where="--out")
    use = (
        ""
        if node or out.suffix in (".c", ".lua")
        else f"; python -I {out} INPUTS.csv prints its trace"
    )
    return Result({"file": str(out.resolve())}, [f"wrote {out}{use}"])


def _writer(out: Path, *, node: bool) -> Callable[[Network, str], str]:
    """What writes a file with this ending; any other than those of C and Lua is Python.

    Raises:
        BadInput: if a node is to be another language.
    """
    if out.suffix in (".c", ".lua"):
        if node:
            raise BadInput(
                "a node is written in Python", where="--out", found=out, expected="FILE.py"
            )
        if out.suffix == ".c":
            from hetwin_machines.writing.c_code import c_code

            return c_code
        from hetwin_machines.writing.lua_code import lua_code

        return lua_code
    from hetwin_machines.writing.ros_code import ros_code
    from hetwin_machines.written_code import code_of

    return ros_code if node else code_of


def draw(
    net: Net,
    out: Annotated[Path, option("--out", "SVG file, or one of draw.io that ends with .drawio")],
    way: Annotated[
        Path | None,
        typer.Option("--way", help="what hetwin machines run --trace --json has printed"),
    ] = None,
) -> Result:
    """Draw a network: decisions as diamonds, pushes and pops as bubbles, the top of the stack as a hexagon.

    With a trace of it, the way taken is blue, with how often, and faults are red, with their reasons. A file of draw.io
    is a network as well: change it there, and run it.

    Example: hetwin machines draw counter --out counter.svg
    """
    from hetwin_machines.drawing.picture import draw as picture
    from hetwin_machines.network_files import ENDINGS, find_network, load_network

    file = find_network(net)
    network = load_network(file)
    if out.suffix in ENDINGS:
        if way is not None:
            raise BadInput(
                "a file of draw.io shows no way", where="--way", expected="--out FILE.svg"
            )
        write_text(out, _as_drawio(network, file), where="--out")
        return Result({"file": str(out.resolve())}, [f"wrote {out}"])
    went, said = _went(network, way) if way is not None else (None, "")
    write_text(out, picture(network, file.stem, went, said), where="--out")
    return Result({"file": str(out.resolve())}, [f"wrote {out}"])


def _as_drawio(network: Network, file: Path) -> str:
    """The network as a drawing; one that is drawn already keeps its layout."""
    from hetwin_machines.drawio.draft import sheets_of
    from hetwin_machines.drawio.file import read_sheets, text_of_sheets
    from hetwin_machines.network_files import ENDINGS

    return text_of_sheets(read_sheets(file) if file.suffix in ENDINGS else sheets_of(network))


def _went(network: Network, trace: Path) -> tuple[dict[str, Went], str]:
    from hetwin_machines.drawing.went import went_of
    from hetwin_machines.seeing.replay import TraceError, read_trace, replay

    lines = lines_of(trace, "a trace, as hetwin machines run --trace --json prints it")
    try:
        return went_of(network, replay(network, read_trace(lines)))
    except TraceError as error:
        raise BadInput(str(error), file=trace) from None
