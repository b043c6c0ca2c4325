"""Writes fitted speeds and lag as a new scenario, whose virtual robot is as fast as the real one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_calibration.drives.offering import new_file, written
from hetwin_calibration.travel.model import NAMES, Lap, TravelFit, TravelModel, adjusted
from hetwin_suite.command import BadInput, load_with_base
from hetwin_suite.runs import find_scenario

_HEADER = """# {base} with parameters of the real robot, learned from {count} moves of both robots: {learned}.
# Written by hetwin calibrate travel.
"""


@dataclass(frozen=True, slots=True)
class TravelOffer:
    """A scenario to calibrate, and the file of the calibrated one.

    Attributes:
        base: file of the scenario.
        model: name of the model with the virtual robot's speeds (the reactive layer).
        entry: that model's entry in the scenario.
        out: the new file.
    """

    base: Path
    model: str
    entry: Mapping[str, Any]
    out: Path

    @property
    def _sheet(self) -> dict[str, float]:
        """Parameters of the virtual robot in the scenario."""
        return {name: float(self.entry["parameters"]["inputs"][name]) for name in NAMES}

    def learned(self, laps: Sequence[Lap]) -> tuple[TravelFit, int]:
        """Return the parameters that make the virtual robot as fast as the real one, and the number of laps of both.

        Raises:
            BadInput: if both robots have too few laps.
        """
        complete_laps = [lap for lap in laps if lap.real is not None and lap.virtual is not None]
        if len(complete_laps) <= len(NAMES):
            raise BadInput(
                "there are too few laps of both robots",
                where="lap_real, lap_virtual",
                found=len(complete_laps),
                expected=f"at least {len(NAMES) + 1}",
            )
        return adjusted(TravelModel(**self._sheet), complete_laps), len(complete_laps)

    def write(self, learned: TravelFit, count: int) -> Path:
        """Write the new scenario, and return its file.

        Raises:
            BadInput: if the file cannot be written, or is not a valid scenario.
        """
        parameters, sheet = self.entry["parameters"], self._sheet
        rounded = {name: round(value, 4) for name, value in learned.parameters.items()}
        inputs = {**parameters["inputs"], **rounded}
        entry = {**self.entry, "parameters": {**parameters, "inputs": inputs}}
        base_path = Path(os.path.relpath(self.base, self.out.parent.resolve()))
        header = _HEADER.format(
            base=self.base.name,
            count=count,
            learned=", ".join(f"{name} {sheet[name]:g} -> {rounded[name]:g}" for name in NAMES),
        )
        entries = {
            "extends": str(base_path),
            "scenario": self.out.stem,
            "models": {self.model: entry},
        }
        return written(self.out, header, entries)


def travel_offer(scenario: str, out: Path) -> TravelOffer:
    """Check that a scenario can be calibrated and that the new file does not exist.

    Raises:
        BadInput: if there is no such scenario, none of its models has such inputs, or the new file exists.
    """
    base = find_scenario(scenario)
    new_file(out)
    data = load_with_base(base).data
    models = data.get("models") if isinstance(data, dict) else None
    for name, entry in (models if isinstance(models, dict) else {}).items():
        if isinstance(entry, dict) and _is_reactive(entry.get("parameters")):
            return TravelOffer(base, name, entry, out)
    raise BadInput(
        "no model of the scenario has the speeds of a robot",
        file=base,
        where="models",
        expected=f"a machine_network with the inputs {', '.join(NAMES)}, numbers",
    )


def _is_reactive(parameters: object) -> bool:
    inputs = parameters.get("inputs") if isinstance(parameters, dict) else None
    return isinstance(inputs, dict) and all(isinstance(inputs.get(n), int | float) for n in NAMES)
