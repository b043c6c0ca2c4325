"""Libraries that an extra of the package brings, imported only by what needs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hetwin_core.ensemble.errors import BadInput

MODELS = {
    "fluid_in_cup": "fluid",
    "fmu": "fmi",
    "gazebo_view": "gazebo",
    "machine_network": "machines",
    **dict.fromkeys(
        ("displacement", "fill_level", "openness", "slicing", "switch", "temperature"), "household"
    ),
    **dict.fromkeys(
        ("lab_robot_stand_in", "remote_robot", "robot_link", "travel_update", "way_guide"),
        "examples",
    ),
}
"""Types of models that packages of ours bring, and the extras that install these."""
COMMANDS = {
    "learn": "learn",
    "machines": "machines",
    **dict.fromkeys(("evaluate robustness", "evaluate table2", "list mismatches"), "examples"),
    **dict.fromkeys(
        ("record drop", "record home_lab", "record insertion", "record lab_robot", "truck"),
        "examples",
    ),
}
"""Commands that packages of ours bring, and the extras that install these."""
LIBRARIES = {"aims": "examples"}
"""Libraries of strategies that packages of ours bring, and the extras that install these."""
FORMATS = {"mcap": "foxglove", "parquet": "tables", "rrd": "rerun"}
"""Endings of files that packages of ours write, and the extras that install these."""
VIEWERS = {"foxglove": "foxglove"}
"""Viewers that packages of ours bring, and the extras that install these."""
SCENARIOS = dict.fromkeys(
    (
        *("handing_over", "home_lab", "pouring", "set_table", "setting_the_table"),
        *("truck_unloading", "twin_lab"),
    ),
    "examples",
)
"""Scenarios that packages of ours bring, and the extras that install these."""


def installs(extra: str) -> str:
    """Return the command that installs an extra."""
    return f'pip install "hetwin-suite[{extra}]"'


def library_of(extra: str, modules: str | tuple[str, ...], needed: str, where: str = "") -> Any:
    """Import a library that an extra brings.

    Args:
        extra: its name.
        modules: the library, and those of its modules that it does not import by itself.
        needed: what the user is told if it is missing, up to a colon.
        where: the option or key that needs it.

    Raises:
        BadInput: if it cannot be imported.
    """
    names = (modules,) if isinstance(modules, str) else modules
    try:
        first, *_ = [import_module(name) for name in names]
    except ImportError as error:
        raise BadInput(f"{needed}: {error}", where=where, expected=installs(extra)) from error
    return first
