"""A stand-in for the real home: physics alone, with finer steps than the twin's; friction holds grasped objects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_home.program import CUP, CUP_AT
from hetwin_suite.runs import Scenario, find_scenario, load_scenario

SCENARIO, ROBOT = "home_lab", "tiago"
MAX_OFFSET_M = 0.05
"""Maximum distance of cup and base from their nominal positions [m]."""
SUBSTEPS = 4
"""Number of physics steps in one of the twin's."""
GRASP_MODELS = ("grasp", "holding", "handling")
"""The twin's models of grasps, which reality lacks."""


@dataclass(frozen=True, slots=True)
class InitialOffsets:
    """Initial offsets of cup and base from their nominal positions, x y each [m]."""

    cup: tuple[float, float]
    base: tuple[float, float]

    @classmethod
    def draw(cls, random: np.random.Generator) -> InitialOffsets:
        """Draw both offsets, uniformly over a disc."""
        return cls(_in_disc(random), _in_disc(random))

    @property
    def cup_at(self) -> tuple[float, float, float]:
        """Position of the cup's centre [m]."""
        return CUP_AT[0] + self.cup[0], CUP_AT[1] + self.cup[1], CUP_AT[2]


@dataclass(frozen=True, slots=True)
class StandIn:
    """The stand-in's scenario, and the scene given to the robot.

    Attributes:
        scenario: scenario with main physics alone.
        scene: entity -> {pose: [x, y, z, qw, qx, qy, qz]}.
    """

    scenario: Scenario
    scene: dict[str, dict[str, list[float]]]


def build_stand_in(offsets: InitialOffsets, folder: Path) -> StandIn:
    """Build the stand-in for an episode.

    Args:
        offsets: offsets of cup and base.
        folder: folder for its scenario file.
    """
    path = find_scenario(SCENARIO)
    data = load_scenario(path).document.data
    x, y, *other_numbers = data["robot"]["pose"]
    base = [x + offsets.base[0], y + offsets.base[1], *other_numbers]
    physics = {**data["models"]["physics"], "parameters": {"substeps": SUBSTEPS}}
    content = {
        "scenario": f"{SCENARIO}_stand_in",
        "extends": str(path),
        "models": {"physics": physics, **dict.fromkeys(GRASP_MODELS)},
        "triggers": [],
        "outcomes": dict.fromkeys(data["outcomes"]),
        "source": {**data["source"], "arguments": {"cup": list(offsets.cup_at)}},
    }
    file = folder / "stand_in.yaml"
    file.write_text(json.dumps(content), encoding="utf-8")
    scene = {CUP: {"pose": [*offsets.cup_at, 1.0, 0.0, 0.0, 0.0]}, ROBOT: {"pose": base}}
    return StandIn(load_scenario(file), scene)


def _in_disc(random: np.random.Generator) -> tuple[float, float]:
    distance, direction = MAX_OFFSET_M * np.sqrt(random.random()), random.uniform(0.0, 2.0 * np.pi)
    return _rounded((distance * np.cos(direction), distance * np.sin(direction)))


def _rounded(point: Sequence[float]) -> tuple[float, float]:
    """Round to a tenth of a millimetre, as in `scene.json`."""
    return round(float(point[0]), 4), round(float(point[1]), 4)
