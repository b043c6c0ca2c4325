"""Simulates, evaluates and writes one drop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_bauer2022.drops.choices import with_choices
from hetwin_bauer2022.drops.draw import Draw, draw
from hetwin_bauer2022.drops.program import above, plan
from hetwin_bauer2022.drops.verdict import FAILED_OPERATIONS, Verdict, judge
from hetwin_bauer2022.kind import RealityChoice
from hetwin_bauer2022.mismatch import RealWorld, TrueValues
from hetwin_bauer2022.recipe import Recipe, without_mismatch
from hetwin_bauer2022.tennis_table import BALL_ABOVE_FOOT
from hetwin_bauer2022.two_hands.blocked_fingers import were_blocked
from hetwin_bauer2022.two_hands.episode_files import path_columns, write_files
from hetwin_bauer2022.two_hands.joints import PALM
from hetwin_bauer2022.two_hands.reality import build
from hetwin_bauer2022.two_hands.stage import execute_program, right_hand
from hetwin_bauer2022.two_hands.witness import (
    PathRecorder,
    Sample,
    contact_heights,
    intervals,
    touch_mask,
)
from hetwin_stand_ins.motion import Grip, Program
from hetwin_stand_ins.signals import Wrist
from hetwin_stand_ins.solids import read_solids
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading
from hetwin_suite.runs import RunFailed

ROBOT = Path("urdf") / "two_hand_robot.urdf"
WORLD = "tennis_table.sdf"
SCENARIO = "uncertain_environment"
_MAX_DRAWS = 50


@dataclass(frozen=True, slots=True)
class Drop:
    """A simulated drop."""

    drawn: Draw
    program: Program
    readings: list[Reading]
    samples: list[Sample]
    verdict: Verdict
    wrist: Wrist | None = None


def initial_poses(drawn: Draw, true: bool) -> dict[str, Floats]:
    """Return model -> (7,) true or believed pose at the start."""
    stand = drawn.stand_pose(true)
    ball = np.concatenate([above(stand[:3], BALL_ABOVE_FOOT), stand[3:]])
    return {
        "ball": ball,
        "stand": stand,
        drawn.container.name: drawn.container_pose(true),
    }


def simulate(random: np.random.Generator, root: Path, recipe: Recipe) -> Drop:
    """Draw an episode that is within the arm's reach, and simulate it.

    Args:
        random: generator of random numbers for this episode.
        root: folder that holds `urdf` and `worlds`.
        recipe: recipe of the episode.

    Raises:
        RunFailed: if none of many draws is within the arm's reach.
    """
    drawn, program = _draw_within_reach(random, root / ROBOT, recipe)
    return execute_draw(drawn, program, random, root, recipe.apply_mismatches, recipe.reality)


def execute_draw(
    drawn: Draw,
    program: Program,
    random: np.random.Generator,
    root: Path,
    apply_mismatches: Callable[[RealWorld], RealWorld] = without_mismatch,
    reality: RealityChoice = RealityChoice.MUJOCO,
) -> Drop:
    """Execute a program in the drawn world.

    Args:
        drawn: draw of the episode.
        program: the robot's program.
        random: generator of sensor noise.
        root: folder that holds `urdf` and `worlds`.
        apply_mismatches: applies the mismatches to the real world.
        reality: simulator of the real world.
    """
    truths = TrueValues(
        initial_poses(drawn, true=True),
        {"ball": drawn.ball_mass},
        drawn.finger_friction,
        (0.0085, drawn.bounce),
    )
    real = apply_mismatches(
        RealWorld(
            truths,
            Grip(drawn.force, drawn.fading, late=tuple(drawn.late.tolist())),
            drawn.gravity_factors,
        )
    )
    simulate_in = _in_drake if reality is RealityChoice.DRAKE else _in_mujoco
    readings, samples, wrist = simulate_in(program, real, random, root)
    verdict = judge(
        samples, drawn.container, drawn.container_pose(True), program.time_of("release")
    )
    return Drop(drawn, program, readings, samples, verdict, wrist)


def _in_mujoco(
    program: Program, real: RealWorld, random: np.random.Generator, root: Path
) -> tuple[list[Reading], list[Sample], Wrist | None]:
    model = build(root / ROBOT, read_solids(root / "worlds" / WORLD), real.truths)
    witness, wrist = PathRecorder(model, "ball"), Wrist(model, PALM, random.spawn(1)[0])
    return (
        execute_program(model, program, real, witness, random, wrist=wrist),
        witness.samples,
        wrist,
    )


def _in_drake(
    program: Program, real: RealWorld, random: np.random.Generator, root: Path
) -> tuple[list[Reading], list[Sample], Wrist | None]:
    from hetwin_bauer2022.drake import plant, stage  # Drake is an optional dependency

    world = plant.build(root / ROBOT, read_solids(root / "worlds" / WORLD), real)
    return *stage.execute_program(world, program, real, random), None


def record(folder: Path, recipe: Recipe, random: np.random.Generator, root: Path) -> dict[str, Any]:
    """Simulate and write one episode.

    Args:
        folder: folder of the episode; must not exist.
        recipe: recipe of the episode.
        random: generator of random numbers for this episode.
        root: folder that holds `urdf` and `worlds`.

    Returns:
        The summary for the distribution.
    """
    drop = simulate(random, root, recipe)
    verdict, drawn = drop.verdict, drop.drawn
    blocked = were_blocked(
        drop.readings, drop.program.time_of("bind"), drop.program.time_of("release")
    )
    summary = {
        "label": "success" if verdict.success else "failure",
        "cause": verdict.cause,
        "container": drawn.container.name,
        "margin": round(verdict.margin, 5),
        "blocked_until_release": blocked,
    }
    truth = {
        **summary,
        **recipe.truth,
        "failed": FAILED_OPERATIONS.get(verdict.cause),
        "grasp": drawn.grasp,
        "flaw": drawn.flaw,
        "contact_heights": contact_heights(drop.samples, drop.program.time_of("bind")),
        "released": verdict.released_at,
        "held": verdict.holds,
        "contact": intervals(drop.samples, touch_mask(drop.samples)),
        "poses": {
            name: pose.round(6).tolist() for name, pose in initial_poses(drawn, True).items()
        },
        "drawn": {**asdict(drawn), "container": drawn.container.name},
        **path_columns("ball", drop.samples),
    }
    believed = initial_poses(drawn, true=False)
    write_files(
        folder,
        recipe.index,
        SCENARIO,
        believed,
        truth,
        drop.program,
        drop.readings,
        random,
        drop.wrist,
    )
    return summary


def _draw_within_reach(
    random: np.random.Generator, robot: Path, recipe: Recipe
) -> tuple[Draw, Program]:
    reacher = right_hand(robot)
    for _ in range(_MAX_DRAWS):
        drawn = draw(random)
        try:
            # Planned before the options apply, so that they cause no other draw.
            program = plan(reacher, drawn)
            if (adjusted := with_choices(drawn, recipe)) is drawn:
                return drawn, program
            return adjusted, plan(reacher, adjusted)
        except RunFailed as error:
            reason = error
    raise RunFailed("drop", "plan", 0, f"none of {_MAX_DRAWS} draws is within reach: {reason}")
