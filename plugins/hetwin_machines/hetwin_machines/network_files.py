"""Find and read files of networks of state machines; errors have the line of the file."""

from __future__ import annotations

from pathlib import Path

from hetwin_machines.errors import NetworkError
from hetwin_machines.network import Network
from hetwin_machines.reading import read_network
from hetwin_suite.command import BadInput, load_yaml, resource, resource_names

ENDINGS = (".drawio", ".xml")
"""File name extensions of draw.io drawings."""
FOLDER = ("scenarios", "networks")
"""Folder of the networks that are shipped with packages."""


def load_network(file: Path) -> Network:
    """Return the network in a YAML file or a draw.io drawing.

    Raises:
        BadInput: if it cannot be used, with file, line, machine, state and key, or with page, shape and its text.
    """
    if file.suffix in ENDINGS:
        return _load_drawing(file)
    document = load_yaml(file)
    try:
        return read_network(document.data)
    except NetworkError as error:
        raise document.placed(_bad_input(error), file) from None


def _load_drawing(file: Path) -> Network:
    from hetwin_machines.drawio.file import read_sheets
    from hetwin_machines.drawio.interpretation import network_of

    try:
        return network_of(read_sheets(file))
    except NetworkError as error:
        raise _bad_input(error, file) from None


def find_network(name: str) -> Path:
    """Return the file of a network, given its path or the name of a shipped network.

    Raises:
        BadInput: if there is no such file; the message lists the shipped networks.
    """
    path = Path(name).expanduser()
    if path.exists():
        return path
    shipped = network_names()
    if name in shipped:
        return resource(*FOLDER, shipped[name])
    raise BadInput(
        "there is no such file",
        file=name,
        expected=f"a YAML file, a drawing, or one of {', '.join(sorted(shipped))}",
    )


def network_names() -> dict[str, str]:
    """Return name -> file name of the networks that are shipped with packages."""
    return {
        name: f"{name}{ending}"
        for ending in (*ENDINGS, ".yaml")
        for name in resource_names("/".join(FOLDER), ending)
    }


def find_table(table: Path) -> Path:
    """Return the file of a table; ``scenarios/networks/NAME.csv`` is the shipped one if there is no such path."""
    names = resource_names("/".join(FOLDER), ".csv")
    is_shipped = table.parts[:-1] == FOLDER and table.name.removesuffix(".csv") in names
    return resource(*table.parts) if is_shipped and not table.exists() else table


def _bad_input(error: NetworkError, file: Path | None = None) -> BadInput:
    return BadInput(
        error.problem,
        file=file,
        where=error.where or None,
        found=error.found,
        expected=error.expected or None,
    )
