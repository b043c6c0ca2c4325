"""Arguments shared by several commands, and the files that they name."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from hetwin_machines.expressions.operations import Value
from hetwin_machines.network import Network
from hetwin_machines.table import TableError, read_rows
from hetwin_suite.command import BadInput, lines_of


def _networks(incomplete: str) -> list[str]:
    from hetwin_machines.network_files import network_names

    return [name for name in network_names() if name.startswith(incomplete)]


Net = Annotated[
    str,
    typer.Argument(
        help="file of a network, or name of one of hetwin's",
        metavar="NET",
        autocompletion=_networks,
    ),
]


def rows_of(inputs: Path, network: Network) -> Iterator[dict[str, Value]]:
    """Yield the inputs and events of each step.

    Args:
        inputs: file of the table, which is read completely first; ``-``: rows are read from stdin as they arrive.
        network: the network.

    Raises:
        BadInput: if the table is invalid; with line and column.
    """
    if str(inputs) == "-":
        yield from _rows(sys.stdin, "-", network)
        return
    from hetwin_machines.network_files import find_table

    lines = lines_of(find_table(inputs), "a table with a column for each input and each event")
    yield from list(_rows(lines, str(inputs), network))


def _rows(lines: Iterable[str], name: str, network: Network) -> Iterator[dict[str, Value]]:
    try:
        yield from read_rows(lines, network.inputs, network.events)
    except (TableError, UnicodeDecodeError) as error:
        raise BadInput(str(error), file=name) from None
