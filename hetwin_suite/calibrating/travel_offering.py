"""Offers learned speeds and lag as a new scenario, whose virtual robot is as fast as the real one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import find_scenario
from hetwin_core.ensemble.scenario.strict_yaml import load_with_base
from hetwin_core.kinematics.travel import NAMES, Lap, TravelModel, adjusted
from hetwin_suite.calibrating.offering import new_file, written

_HEADER = """# {base} with what {count} moves of both robots taught of the real one: {said}.
# Written by hetwin calibrate travel.
"""


@dataclass(frozen=True, slots=True)
class TravelOffer:
    """A scenario whose virtual robot could be as fast as the real one, and where that goes.

    Attributes:
        base: file of the scenario.
        model: name of the reactive layer.
        entry: what the scenario says of it.
        out: the new file.
    """

    base: Path
    model: str
    entry: Mapping[str, Any]
    out: Path

    def write(self, laps: Sequence[Lap]) -> Path:
        """Write the new scenario.

        Raises:
            BadInput: if too few moves were done by both robots, or the file cannot be written or is no scenario.
        """
        both = [lap for lap in laps if lap.real is not None and lap.virtual is not None]
        if len(both) <= len(NAMES):
            raise BadInput(
                "too few commands were answered by both robots",
                where="lap_real, lap_virtual",
                found=len(both),
                expected=f"at least {len(NAMES) + 1}",
            )
        parameters = self.entry["parameters"]
        sheet = {name: float(parameters["inputs"][name]) for name in NAMES}
        new = adjusted(TravelModel(**sheet), both).parameters
        rounded = {name: round(value, 4) for name, value in new.items()}
        inputs = {**parameters["inputs"], **rounded}
        entry = {**self.entry, "parameters": {**parameters, "inputs": inputs}}
        below = Path(os.path.relpath(self.base, self.out.parent.resolve()))
        header = _HEADER.format(
            base=self.base.name,
            count=len(both),
            said=", ".join(f"{name} {sheet[name]:g} -> {rounded[name]:g}" for name in NAMES),
        )
        entries = {"extends": str(below), "scenario": self.out.stem, "models": {self.model: entry}}
        return written(self.out, header, entries)


def travel_offer(scenario: str, out: Path) -> TravelOffer:
    """Return what becomes a new scenario that extends another one.

    Raises:
        BadInput: if there is no such scenario, no model of it has such inputs, or the new file is there already.
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
