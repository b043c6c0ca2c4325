"""What is run in a study, and what is looked at while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_core.ensemble.transport.port import ModelPort


class Watch(Protocol):
    """Looks at a run."""

    def look(self, between: BetweenSteps) -> None:
        """Look at the run after a step."""

    def seen(self) -> Any:
        """Return what was seen, as JSON has it."""


@dataclass(frozen=True)
class Watcher:
    """A scenario of which nothing is watched; others are derived from it. It can be pickled.

    Attributes:
        path: of the scenario.
        variant: of it.
    """

    path: Path
    variant: str | None

    def scenario(self) -> Scenario:
        """Return what is run."""
        return load_scenario(self.path, self.variant)

    def begin(self, scenario: Scenario, ports: Sequence[ModelPort]) -> Watch | None:
        """Return what looks at one run of it; None: its episode is judged when it is over."""
        return None
