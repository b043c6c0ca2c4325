"""`hetwin machines code`: a network as Python that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from hetwin_suite._commands.options import option
from hetwin_suite._commands.result import Result
from hetwin_suite.cli.machines.arguments import Net


def code(
    net: Net,
    out: Annotated[Path, option("--out", "Python file")],
) -> Result:
    """Write a network as Python: one plan a machine, each state and arc as in the drawing, the standard library alone.

    python -I FILE.py INPUTS.csv prints the lines of hetwin machines run --trace --json.

    Example: hetwin machines code counter --out counter.py
    """
    from hetwin_core.ensemble.writing import write_text
    from hetwin_core.machines.written_code import code_of
    from model_nodes.network_files import find_network, load_network

    file = find_network(net)
    write_text(out, code_of(load_network(file), file.name), where="--out")
    said = f"wrote {out}; python -I {out} INPUTS.csv prints its trace"
    return Result({"file": str(out.resolve())}, [said])
