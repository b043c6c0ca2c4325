"""Files of networks of state machines: read them with the line of what is wrong."""

from __future__ import annotations

from pathlib import Path

from hetwin_machines.errors import NetworkError
from hetwin_machines.network import Network
from hetwin_machines.reading import read_network
from hetwin_suite.command import BadInput, load_yaml, resource, resource_names

ENDINGS = (".drawio", ".xml")
"""Of drawings, which draw.io writes."""
FOLDER = ("scenarios", "networks")
"""Where hetwin's own networks are."""


def load_network(file: Path) -> Network:
    """Return the network in a YAML file, or in a drawing of draw.io.

    Raises:
        BadInput: if it cannot be used; with file, line, machine, state and key, or page, shape and its text.
    """
    if file.suffix in ENDINGS:
        return _drawn(file)
    document = load_yaml(file)
    try:
        return read_network(document.data)
    except NetworkError as error:
        raise document.placed(_bad(error), file) from None


def _drawn(file: Path) -> Network:
    from hetwin_machines.drawio.file import read_sheets
    from hetwin_machines.drawio.meaning import network_of

    try:
        return network_of(read_sheets(file))
    except NetworkError as error:
        raise _bad(error, file) from None


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
        return resource(*FOLDER, own[name])
    raise BadInput(
        "there is no such file",
        file=name,
        expected=f"a YAML file, a drawing, or one of {', '.join(sorted(own))}",
    )


def network_names() -> dict[str, str]:
    """Return the names of the networks that come with packages, each with its file's."""
    return {
        name: f"{name}{ending}"
        for ending in (*ENDINGS, ".yaml")
        for name in resource_names("/".join(FOLDER), ending)
    }


def find_table(table: Path) -> Path:
    """Return the file of a table: where it is, or of ``scenarios/networks/NAME.csv`` the one of hetwin's own."""
    names = resource_names("/".join(FOLDER), ".csv")
    is_own = table.parts[:-1] == FOLDER and table.name.removesuffix(".csv") in names
    return resource(*table.parts) if is_own and not table.exists() else table


def _bad(error: NetworkError, file: Path | None = None) -> BadInput:
    return BadInput(
        error.problem,
        file=file,
        where=error.where or None,
        found=error.found,
        expected=error.expected or None,
    )
