"""Files of networks of state machines: read them with the line of what is wrong."""

from __future__ import annotations

from pathlib import Path

from hetwin_machines.errors import NetworkError
from hetwin_machines.network import Network
from hetwin_machines.reading import read_network
from hetwin_suite.command import BadInput, load_yaml, resource, resource_names

FOLDER = ("scenarios", "networks")
"""Where hetwin's own networks are."""


def load_network(file: Path) -> Network:
    """Return the network in a YAML file.

    Raises:
        BadInput: if it cannot be used; with file, line, machine, state and key.
    """
    document = load_yaml(file)
    try:
        return read_network(document.data)
    except NetworkError as error:
        raise document.placed(_bad(error), file) from None


def find_network(name: str) -> Path:
    """Return the file of a network: a path, or the name of one of hetwin's own.

    Raises:
        BadInput: if there is none; the known names are listed.
    """
    path = Path(name).expanduser()
    if path.exists():
        return path
    own = network_names()
    if name in own:
        return resource(*FOLDER, f"{name}.yaml")
    raise BadInput(
        "there is no such file", file=name, expected=f"a YAML file, or one of {', '.join(own)}"
    )


def network_names() -> list[str]:
    """Return the names of hetwin's own networks, sorted."""
    return resource_names("/".join(FOLDER), ".yaml")


def find_table(table: Path) -> Path:
    """Return the file of a table: where it is, or of ``scenarios/networks/NAME.csv`` the one of hetwin's own."""
    names = resource_names("/".join(FOLDER), ".csv")
    is_own = table.parts[:-1] == FOLDER and table.name.removesuffix(".csv") in names
    return resource(*table.parts) if is_own and not table.exists() else table


def _bad(error: NetworkError) -> BadInput:
    return BadInput(
        error.problem,
        where=error.where or None,
        found=error.found,
        expected=error.expected or None,
    )
