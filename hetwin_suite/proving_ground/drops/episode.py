"""One drop: simulates, evaluates and writes it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.proving_ground.controller import Grip
from hetwin_suite.proving_ground.drops.draw import Draw, draw
from hetwin_suite.proving_ground.drops.program import above, plan
from hetwin_suite.proving_ground.drops.verdict import Verdict, judge
from hetwin_suite.proving_ground.episode_files import path_of, write_episode
from hetwin_suite.proving_ground.motion import Program
from hetwin_suite.proving_ground.sensing import Reading
from hetwin_suite.proving_ground.solids import read_solids
from hetwin_suite.proving_ground.tennis_table_sdf import BALL_ABOVE_FOOT
from hetwin_suite.proving_ground.two_hands.reality import Truths, build
from hetwin_suite.proving_ground.two_hands.stage import enact, right_hand
from hetwin_suite.proving_ground.two_hands.still_fingers import blocked_until
from hetwin_suite.proving_ground.two_hands.witness import Sample, Witness, intervals, touched

ROBOT = Path("urdf") / "two_hand_robot.urdf"
WORLD = "tennis_table.sdf"
SCENARIO = "uncertain_environment"
_TRIES = 50


@dataclass(frozen=True, slots=True)
class Drop:
    """A simulated drop."""

    drawn: Draw
    program: Program
    readings: list[Reading]
    samples: list[Sample]
    verdict: Verdict


def scene(drawn: Draw, true: bool) -> dict[str, Floats]:
    """Return model -> (7,) pose at the start, true or believed."""
    stand = drawn.stand_pose(true)
    ball = np.concatenate([above(stand[:3], BALL_ABOVE_FOOT), stand[3:]])
    return {
        "ball": ball,
        "stand": stand,
        drawn.container.name: drawn.container_pose(true),
    }


def simulate(random: np.random.Generator, root: Path) -> Drop:
    """Draw an episode that is within the arm's reach, and simulate it.

    Args:
        random: of this episode.
        root: folder that holds `urdf` and `worlds`.

    Raises:
        RunFailed: if none of many draws is within the arm's reach.
    """
    drawn, program = _draw_within_reach(random, root / ROBOT)
    return carry_out(drawn, program, random, root)


def carry_out(drawn: Draw, program: Program, random: np.random.Generator, root: Path) -> Drop:
    """Execute a program in the drawn world.

    Args:
        drawn: the episode.
        program: the robot's program for it.
        random: for the noise of the sensors.
        root: folder that holds `urdf` and `worlds`.
    """
    truths = Truths(
        scene(drawn, true=True),
        {"ball": drawn.ball_mass},
        drawn.finger_friction,
        (0.0085, drawn.bounce),
    )
    model = build(root / ROBOT, read_solids(root / "worlds" / WORLD), truths)
    witness = Witness(model, "ball")
    grip = Grip(drawn.force, drawn.fading)
    readings = enact(model, program, grip, drawn.gravity_factors, witness, random)
    verdict = judge(witness.samples, drawn.container, drawn.container_pose(True), opening(program))
    return Drop(drawn, program, readings, witness.samples, verdict)


def opening(program: Program) -> float:
    """Return the time of the command to open the hand, in s."""
    return next(a.time for a in program.announcements if a.operation == "release")


def binding(program: Program) -> float:
    """Return the time at which the hand has closed, in s."""
    return next(a.time for a in program.announcements if a.operation == "bind")


def record(folder: Path, index: int, random: np.random.Generator, root: Path) -> dict[str, Any]:
    """Simulate and write one episode.

    Args:
        folder: of the episode; must not exist.
        index: of the episode, from 0; determines its start time.
        random: of this episode.
        root: folder that holds `urdf`, `worlds` and `msg`.

    Returns:
        The summary for the distribution.
    """
    drop = simulate(random, root)
    verdict, drawn = drop.verdict, drop.drawn
    blocked = blocked_until(drop.readings, binding(drop.program), opening(drop.program))
    summary = {
        "label": "success" if verdict.success else "failure",
        "cause": verdict.cause,
        "container": drawn.container.name,
        "margin": round(verdict.margin, 5),
        "blocked_until_release": blocked,
    }
    truth = {
        **summary,
        "released": verdict.released_at,
        "held": verdict.holds,
        "contact": intervals(drop.samples, touched(drop.samples)),
        "poses": {name: pose.round(6).tolist() for name, pose in scene(drawn, True).items()},
        "drawn": {**asdict(drawn), "container": drawn.container.name},
        **path_of("ball", drop.samples),
    }
    believed = scene(drawn, true=False)
    write_episode(
        folder, index, SCENARIO, believed, truth, drop.program, drop.readings, random, root
    )
    return summary


def _draw_within_reach(random: np.random.Generator, robot: Path) -> tuple[Draw, Program]:
    reacher = right_hand(robot)
    for _ in range(_TRIES):
        drawn = draw(random)
        try:
            return drawn, plan(reacher, drawn)
        except RunFailed as error:
            reason = error
    raise RunFailed("drop", "plan", 0, f"none of {_TRIES} draws is within reach: {reason}")
