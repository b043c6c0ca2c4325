"""`hetwin machines check`, `code` and `draw`: commands that do not run the network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_machines.commands.arguments import Net
from hetwin_suite.command import BadInput, Result, lines_of, option, write_text

if TYPE_CHECKING:
    from hetwin_machines.drawing.graph import MachineTrace
    from hetwin_machines.network import Network


def check(net: Net) -> Result:
    """Find gaps between the guards of a state, overlapping guards, unreachable states, and signals that are never set.

    Then explore the joint states of all machines, to find machines that set a signal to different values at once, and
    signals that are read before they are set. If there are too many states, the extent of the exploration is reported.
    Each finding names machine, state, arcs, and a case in which it occurs. Findings do not change the exit code.

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
    heading = f"{len(names)} machine{'s' if len(names) > 1 else ''}: {', '.join(names)}"
    return Result(
        {"machines": names, "findings": [f.to_json() for f in found], "product": to_json(explored)},
        [
            heading,
            *(lines or ["  no findings"]),
            *explored.waiting_lines(),
            f"  {explored.summary()}",
        ],
    )


def code(
    net: Net,
    out: Annotated[Path, option("--out", "file that ends with .py, .c or .lua")],
    node: Annotated[
        bool, typer.Option("--node", help="wrap the Python code in a ROS 2 node")
    ] = False,
) -> Result:
    """Write a network as Python, C99 or Lua code without dependencies: one function per machine, readable by state.

    python -I FILE.py INPUTS.csv prints the same lines as hetwin machines run --trace --json. The C code does not
    allocate memory; with -DNETWORK_MAIN it is a program that reads steps and prints cycles. Lua code is a module for
    Lua 5.4. A node subscribes to ~/inputs and publishes ~/cycles, both strings with JSON.

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
    """Return the function that writes code in the language of a file's ending: C, Lua, or else Python.

    Raises:
        BadInput: if a node is requested in C or Lua.
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
    out: Annotated[Path, option("--out", "SVG file, or a draw.io file that ends with .drawio")],
    trace: Annotated[
        Path | None,
        typer.Option("--way", help="file with the output of hetwin machines run --trace --json"),
    ] = None,
) -> Result:
    """Draw a network: decisions as diamonds, pushes and pops as bubbles, the top of the stack as a hexagon.

    With a trace, the arcs taken are blue, with counts, and faults are red, with their reasons. A draw.io file can be
    edited there, and run as a network again.

    Example: hetwin machines draw counter --out counter.svg
    """
    from hetwin_machines.drawing.picture import draw as picture
    from hetwin_machines.network_files import ENDINGS, find_network, load_network

    file = find_network(net)
    network = load_network(file)
    if out.suffix in ENDINGS:
        if trace is not None:
            raise BadInput(
                "a draw.io file shows no trace", where="--way", expected="--out FILE.svg"
            )
        write_text(out, _as_drawio(network, file), where="--out")
        return Result({"file": str(out.resolve())}, [f"wrote {out}"])
    traces, note = _traces(network, trace) if trace is not None else (None, "")
    write_text(out, picture(network, file.stem, traces, note), where="--out")
    return Result({"file": str(out.resolve())}, [f"wrote {out}"])


def _as_drawio(network: Network, file: Path) -> str:
    """Return the network as a draw.io file; a network from such a file keeps its layout."""
    from hetwin_machines.drawio.draft import sheets_of
    from hetwin_machines.drawio.file import read_sheets, text_of_sheets
    from hetwin_machines.network_files import ENDINGS

    return text_of_sheets(read_sheets(file) if file.suffix in ENDINGS else sheets_of(network))


def _traces(network: Network, trace: Path) -> tuple[dict[str, MachineTrace], str]:
    from hetwin_machines.drawing.traces import summarize
    from hetwin_machines.observation.replay import TraceError, read_trace, replay

    lines = lines_of(trace, "a trace, as hetwin machines run --trace --json prints it")
    try:
        return summarize(network, replay(network, read_trace(lines)))
    except TraceError as error:
        raise BadInput(str(error), file=trace) from None
