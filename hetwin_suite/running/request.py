"""A run as it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hetwin_core.ensemble.conductor.start.awaited import waiting_for_robots
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.projection.new_run import new_run_folder
from hetwin_core.projection.run_folder import check_free


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be run; `out` None: into a new folder below ``runs``."""

    scenario: str
    options: RunOptions
    out: Path | None

    def load(self) -> tuple[Scenario, Path]:
        """The scenario, and a folder that its run can be written to.

        Raises:
            BadInput: if one of them cannot be used.
        """
        scenario = load_scenario(find_scenario(self.scenario), self.options.variant)
        out = self.out or new_run_folder(Path("runs"), scenario.name)
        check_free(out)
        return waiting_for_robots(scenario, self.options), out
