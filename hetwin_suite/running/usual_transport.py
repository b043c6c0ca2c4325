"""The transport of a run for which none is named."""

from __future__ import annotations

from typing import Literal

from hetwin_core.ensemble.conductor.start.parameters import named_source
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.extends import load_with_base
from hetwin_core.ensemble.scenario.scenario import find_scenario
from hetwin_core.ensemble.scenario.source import SourceKind, kind_of


def usual_transport(scenario: str, source: str | None) -> Literal["local", "ros"]:
    """Return ``ros`` if commands move the robot, since who sends them must see what comes of it; else ``local``.

    Args:
        scenario: file, or name of one of hetwin's; one that cannot be read is not reported here.
        source: as the start of the run names it; None: the scenario's.
    """
    try:
        written = source or load_with_base(find_scenario(scenario)).data.get("source")
        named = named_source(written) if isinstance(written, str) else written
    except BadInput:
        return "local"
    commanded = isinstance(named, dict) and kind_of(named) is SourceKind.COMMANDS
    return "ros" if commanded else "local"
