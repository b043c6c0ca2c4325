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
OFF_M = 0.05
"""Maximum distance of cup and base from their nominal positions [m]."""
SUBSTEPS = 4
"""Number of physics steps in one of the twin's."""
KNOWING = ("grasp", "holding", "handling")
"""The twin's models of grasps, which reality lacks."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Initial offsets of cup and base from their nominal positions, x y each [m]."""

    cup: tuple[float, float]
    base: tuple[float, float]

    @classmethod
    def drawn(cls, random: np.random.Generator) -> Draw:
        """Draw both offsets, uniformly over a disc."""
        return cls(_in_disc(random), _in_disc(random))

    @property
    def cup_at(self) -> tuple[float, float, float]:
        """Position of the cup's centre [m]."""
        return CUP_AT[0] + self.cup[0], CUP_AT[1] + self.cup[1], CUP_AT[2]


@dataclass(frozen=True, slots=True)
class Reality:
    """The stand-in's scenario, and the scene given to the robot.

    Attributes:
        scenario: scenario with main physics alone.
        scene: entity -> {pose: [x, y, z, qw, qx, qy, qz]}.
    """

    scenario: Scenario
    scene: dict[str, dict[str, list[float]]]


def reality(drawn: Draw, folder: Path) -> Reality:
    """Build the stand-in for an episode.

    Args:
        drawn: offsets of cup and base.
        folder: folder for its scenario file.
    """
    path = find_scenario(SCENARIO)
    data = load_scenario(path).document.data
    x, y, *rest = data["robot"]["pose"]
    base = [x + drawn.base[0], y + drawn.base[1], *rest]
    physics = {**data["models"]["physics"], "parameters": {"substeps": SUBSTEPS}}
    written = {
        "scenario": f"{SCENARIO}_stand_in",
        "extends": str(path),
        "models": {"physics": physics, **dict.fromkeys(KNOWING)},
        "triggers": [],
        "outcomes": dict.fromkeys(data["outcomes"]),
        "source": {**data["source"], "arguments": {"cup": list(drawn.cup_at)}},
    }
    file = folder / "stand_in.yaml"
    file.write_text(json.dumps(written), encoding="utf-8")
    scene = {CUP: {"pose": [*drawn.cup_at, 1.0, 0.0, 0.0, 0.0]}, ROBOT: {"pose": base}}
    return Reality(load_scenario(file), scene)


def _in_disc(random: np.random.Generator) -> tuple[float, float]:
    far, towards = OFF_M * np.sqrt(random.random()), random.uniform(0.0, 2.0 * np.pi)
    return _rounded((far * np.cos(towards), far * np.sin(towards)))


def _rounded(at: Sequence[float]) -> tuple[float, float]:
    """Round to a tenth of a millimetre, as in `scene.json`."""
    return round(float(at[0]), 4), round(float(at[1]), 4)
