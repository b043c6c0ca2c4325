"""What is looked at in the run of an episode while nothing acts on it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.scenario.extends import load_with_base
from hetwin_core.ensemble.scenario.scenario import Scenario, build_scenario
from hetwin_core.ensemble.scenario.strict_yaml import Document
from hetwin_core.ensemble.scenario.variants import with_variant
from hetwin_core.ensemble.transport.port import ModelPort


class Watch(Protocol):
    """Looks at a run."""

    def look(self, between: BetweenSteps) -> None:
        """Look at the run after a step."""

    def seen(self) -> Any:
        """Return what was seen, as JSON has it."""


class Watcher(Protocol):
    """What is watched for; can be pickled."""

    def scenario(self) -> Scenario:
        """Return what is run."""

    def begin(self, scenario: Scenario, ports: list[ModelPort]) -> Watch:
        """Return what looks at one run of it."""


def changed(path: Path, variant: str | None, keys: Mapping[str, Any]) -> Scenario:
    """Return a scenario with other values of some of its keys."""
    document = document_of(path, variant)
    return build_scenario(document.over(document, path, {**document.data, **keys}), path)


def document_of(path: Path, variant: str | None) -> Document:
    """Return a scenario as it is written, with what it extends."""
    return with_variant(load_with_base(path), variant, path)
