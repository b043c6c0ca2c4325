"""The transport of a run for which none is named."""

from __future__ import annotations

from typing import Any, Literal

from hetwin_core.ensemble.conductor.start.sources import named_source
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import find_scenario
from hetwin_core.ensemble.scenario.source import SourceKind, kind_of
from hetwin_core.ensemble.scenario.strict_yaml import Document, load_with_base, with_variant


def usual_transport(
    scenario: str, source: str | None, variant: str | None = None
) -> Literal["local", "ros"]:
    """Return ``ros`` if commands move the robot, since who sends them must see what comes of it; else ``local``.

    Args:
        scenario: file, or name of one of hetwin's; one that cannot be read is not reported here.
        source: as the start of the run names it; None: the scenario's.
        variant: of the scenario; None: the scenario as it stands.
    """
    try:
        written = [source] if source else _written(_document(scenario, variant).data)
        named = [named_source(one) if isinstance(one, str) else one for one in written]
    except BadInput:
        return "local"
    return "ros" if any(_is_commanded(one) for one in named) else "local"


def _document(scenario: str, variant: str | None) -> Document:
    path = find_scenario(scenario)
    return with_variant(load_with_base(path), variant, path)


def _written(scenario: object) -> list[Any]:
    """The sources that a scenario names, its own and those of its robots; none if it is no mapping."""
    if not isinstance(scenario, dict):
        return []
    robots = scenario.get("robots")
    own = robots.values() if isinstance(robots, dict) else ()
    return [one.get("source") for one in (scenario, *own) if isinstance(one, dict)]


def _is_commanded(source: Any) -> bool:
    return isinstance(source, dict) and kind_of(source) is SourceKind.COMMANDS
