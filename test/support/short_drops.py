"""Short episodes as `hetwin record` writes them, made without physics: the robot stands at its home.

Tests of the suite import it where they use it, after asking for `hetwin_bauer2022`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from hetwin_bauer2022.drops.draw import Draw, draw
from hetwin_bauer2022.drops.episode import ROBOT, SCENARIO, initial_poses
from hetwin_bauer2022.drops.program import home_posture
from hetwin_bauer2022.two_hands.episode_files import write_files
from hetwin_bauer2022.two_hands.joints import ALL
from hetwin_bauer2022.two_hands.reality import PERIOD_S
from hetwin_bauer2022.two_hands.stage import DRIVERS, initial_positions, right_hand
from hetwin_core.ensemble.scene.values import Floats
from hetwin_stand_ins.motion import Program
from hetwin_suite.robot import Reading
from support.robot_files import ROOT


def write_short_drop(
    folder: Path, index: int, success: bool, grasp: str = "cage", seconds: float = 0.2
) -> None:
    """Write an episode in which nothing happens, with any label; the fingers are blocked if it succeeds, or closed."""
    random = np.random.default_rng(index)
    drawn = draw(random)
    reacher = right_hand(ROOT / ROBOT)
    program = Program(reacher, home_posture(reacher))
    program.grip(0.5 if success else 1.0)
    program.announce("bind", {"hand": "right_hand", "object": "ball"})
    program.wait(seconds)
    program.announce("release", {"hand": "right_hand", "object": "ball"})
    truth = {
        "label": "success" if success else "failure",
        "cause": "" if success else "never_held",
        "grasp": grasp,
        "flaw": "none",
        "seed": 5,
        "index": index,
        "blocked_until_release": success,
        "held": [],
        **_path(drawn, seconds),
    }
    believed = initial_poses(drawn, true=False)
    readings = _readings(program, seconds)
    write_files(folder, index, SCENARIO, believed, truth, program, readings, random)


def write_short_drops(folder: Path, successes: int, failures: int, grasp: str = "cage") -> Path:
    """Write a folder of them, successes first."""
    folder.mkdir(parents=True)
    for index in range(successes + failures):
        write_short_drop(folder / f"drop_{index + 1:04d}", index, index < successes, grasp)
    options = {"kind": "drop", "seed": 5, "grasp": grasp, "flaw": "any"}
    (folder / "distribution.json").write_text(json.dumps(options), encoding="utf-8")
    return folder


def _path(drawn: Draw, seconds: float) -> dict[str, object]:
    ball = initial_poses(drawn, true=True)["ball"]
    rows = [[time, *map(float, ball[:3])] for time in (0.0, seconds)]
    return {"object": "ball", "columns": ["time", "x", "y", "z"], "path": rows}


def _readings(program: Program, seconds: float) -> list[Reading]:
    places = initial_positions(program)
    found = []
    for step in range(round(seconds / PERIOD_S)):
        for driver in DRIVERS:
            if driver.due(step):
                positions: Floats = np.array([places[name] for name in driver.joints])
                zeros = np.zeros(len(positions))
                found.append(Reading(step * PERIOD_S, driver.joints, positions, zeros, zeros))
    assert {name for reading in found for name in reading.joints} == set(ALL)
    return found
