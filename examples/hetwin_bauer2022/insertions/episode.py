"""Simulates, evaluates and writes one insertion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from transforms3d.quaternions import qmult, rotate_vector

from hetwin_bauer2022.drops.program import DOWN
from hetwin_bauer2022.insertions.boundary import redraw_near_boundary
from hetwin_bauer2022.insertions.draw import TIP_IN_PALM, Draw, draw
from hetwin_bauer2022.insertions.program import HIDDEN_S, HOME_AT, PUSH_S, REST_S, plan
from hetwin_bauer2022.mismatch import Compliance, RealWorld, TrueValues
from hetwin_bauer2022.recipe import Recipe, Shifts, without_mismatch
from hetwin_bauer2022.solar_panel import HOLE_DEPTH, shaft_hull
from hetwin_bauer2022.two_hands.episode_files import path_columns, write_files
from hetwin_bauer2022.two_hands.joints import PALM
from hetwin_bauer2022.two_hands.reality import build
from hetwin_bauer2022.two_hands.stage import execute_program, right_hand
from hetwin_bauer2022.two_hands.witness import (
    PathRecorder,
    Sample,
    hold_mask,
    intervals,
    touch_mask,
)
from hetwin_stand_ins.motion import Grip, Program
from hetwin_stand_ins.signals import Wrist
from hetwin_stand_ins.solids import read_solids
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading
from hetwin_suite.runs import BadInput, RunFailed

WORLD = "solar_panel.sdf"
SCENARIO = "insertion"
SOCKET = "spu"
INSERTED_M = 0.002
"""Maximum distance of a fully inserted probe from the bottom of the hole [m]."""
JAMMED_M = 0.01
"""Minimum distance from the bottom of the hole at which an insertion has failed [m]."""
MAX_STRAIN = 0.036
"""Maximum deflection of the arm's joints while it pushes into the socket [rad]."""
_METAL_CONTACT = (0.002, 1.0)


_MAX_DRAWS = 20


@dataclass(frozen=True, slots=True)
class Insertion:
    """A simulated insertion.

    Attributes:
        drawn: draw of the episode.
        program: the robot's program.
        readings: readings of its sensors.
        samples: path of the probe.
        distances: of the tip from the centre of the hole's bottom, when the hand opens and at the end [m].
        boundary: whether the probe may end halfway; only a full insertion at the end is then a success.
        wrist: wrist sensor with its samples.
    """

    drawn: Draw
    program: Program
    readings: list[Reading]
    samples: list[Sample]
    distances: tuple[float, float]
    boundary: bool = False
    wrist: Wrist | None = None

    @property
    def success(self) -> bool | None:
        """Whether the probe is inserted; None if it is halfway, or moves in or out after the release."""
        if max(self.distances) <= INSERTED_M:
            return True
        if self.boundary and np.isfinite(self.distances).all():
            return self.distances[1] <= INSERTED_M
        return False if min(self.distances) >= JAMMED_M else None


def simulate(
    random: np.random.Generator,
    root: Path,
    apply_mismatches: Callable[[RealWorld], RealWorld] = without_mismatch,
) -> Insertion:
    """Draw an episode and simulate it.

    Args:
        random: generator of random numbers for this episode.
        root: folder that holds `urdf` and `worlds`.
        apply_mismatches: applies the mismatches to the real world.
    """
    return execute_draw(draw(random), random, root, apply_mismatches)


def execute_draw(
    drawn: Draw,
    random: np.random.Generator,
    root: Path,
    apply_mismatches: Callable[[RealWorld], RealWorld] = without_mismatch,
) -> Insertion:
    """Execute the program of an episode in the drawn world.

    Args:
        drawn: draw of the episode.
        random: generator of sensor noise.
        root: folder that holds `urdf` and `worlds`.
        apply_mismatches: applies the mismatches to the real world.
    """
    robot = root / "urdf" / "two_hand_robot.urdf"
    program = plan(right_hand(robot, TIP_IN_PALM), drawn)
    truths = TrueValues(
        {"spu": drawn.socket_pose(True), "dip": dip_pose(drawn.dip_in_palm(True))},
        {"dip": drawn.dip_mass},
        drawn.finger_friction,
        _METAL_CONTACT,
        {"dip": shaft_hull()},
        {"dip": drawn.dip_in_palm(True)},
    )
    solids = [
        solid
        for solid in read_solids(root / "worlds" / WORLD)
        if solid.model != "dip" or solid.name == "handle"
    ]
    compliance = Compliance(drawn.softness, last_push(program), MAX_STRAIN)
    real = apply_mismatches(RealWorld(truths, Grip(drawn.force), drawn.gravity_factors, compliance))
    model = build(robot, solids, real.truths)
    witness = PathRecorder(model, "dip")
    wrist = Wrist(model, PALM, random.spawn(1)[0])
    readings = execute_program(model, program, real, witness, random, HIDDEN_S, wrist)
    samples = witness.samples
    at_opening = next(s for s in reversed(samples) if s.time <= program.time_of("release"))
    bottom = drawn.socket_pose(True)[:3]
    distances = [float(np.linalg.norm(s.pose[:3] - bottom)) for s in (at_opening, samples[-1])]
    return Insertion(drawn, program, readings, samples, (distances[0], distances[1]), wrist=wrist)


def record(folder: Path, recipe: Recipe, random: np.random.Generator, root: Path) -> dict[str, Any]:
    """Simulate and write one episode; draws again if it ends halfway.

    Args:
        folder: folder of the episode; must not exist.
        recipe: recipe of the episode.
        random: generator of random numbers for this episode.
        root: folder that holds `urdf` and `worlds`.

    Returns:
        The summary for the distribution.

    Raises:
        BadInput: if anything but the socket is shifted.
        RunFailed: if many draws end halfway.
    """
    shift = _shift_function(recipe.shifts)
    if recipe.boundary:
        insertion, draws = _at_the_boundary(random, root, recipe, shift), 0
    else:
        insertion, draws = _simulate_until_decided(random, root, recipe.apply_mismatches, shift)
    drawn = insertion.drawn
    summary = {
        "label": "success" if insertion.success else "failure",
        "cause": "" if insertion.success else _cause(insertion),
        "searched": drawn.search_radius > 0.0,
        "short": round(insertion.distances[0], 5),
        "drawn_again": draws,
    }
    truth = {
        **summary,
        **recipe.truth,
        "failed": None if insertion.success else "insert",
        "short_at_end": round(insertion.distances[1], 5),
        "held": intervals(insertion.samples, hold_mask(insertion.samples)),
        "contact": intervals(insertion.samples, touch_mask(insertion.samples)),
        "poses": {"spu": drawn.socket_pose(True).round(6).tolist()},
        "drawn": asdict(drawn),
        **path_columns("dip", insertion.samples),
    }
    believed = {"spu": drawn.socket_pose(False), "dip": dip_pose(drawn.dip_in_palm(False))}
    write_files(
        folder,
        recipe.index,
        SCENARIO,
        believed,
        truth,
        insertion.program,
        insertion.readings,
        random,
        insertion.wrist,
    )
    return summary


def _at_the_boundary(
    random: np.random.Generator,
    root: Path,
    recipe: Recipe,
    shift: Callable[[Draw], Draw] | None,
) -> Insertion:
    """Simulate an insertion that may end anywhere.

    Raises:
        RunFailed: if the simulation broke down.
    """
    drawn = redraw_near_boundary(draw(random), recipe.random("boundary"))
    drawn = drawn if shift is None else shift(drawn)
    insertion = replace(execute_draw(drawn, random, root, recipe.apply_mismatches), boundary=True)
    if insertion.success is None:
        raise RunFailed("insertion", "simulate", 0, f"the probe ended at {insertion.distances} m")
    return insertion


def _simulate_until_decided(
    random: np.random.Generator,
    root: Path,
    apply_mismatches: Callable[[RealWorld], RealWorld],
    shift: Callable[[Draw], Draw] | None,
) -> tuple[Insertion, int]:
    """Return the first insertion that does not end halfway, and the number of draws before it; then apply the shift.

    Raises:
        RunFailed: if many draws end halfway.
    """
    for draws in range(_MAX_DRAWS):
        before = random.bit_generator.state
        insertion = simulate(random, root, apply_mismatches)
        if insertion.success is None:
            continue
        if shift is not None:
            random.bit_generator.state = before
            insertion = execute_draw(shift(draw(random)), random, root, apply_mismatches)
        return insertion, draws
    raise RunFailed("insertion", "simulate", 0, f"{_MAX_DRAWS} draws ended halfway")


def _shift_function(shifts: Shifts) -> Callable[[Draw], Draw] | None:
    """Return a function that adds an offset to the socket's true position; None if nothing is shifted."""
    for name in shifts:
        if name != SOCKET:
            raise BadInput(
                "only the socket can be shifted in an insertion",
                where="--shift",
                found=name,
                expected=SOCKET,
            )
    if not shifts:
        return None
    x, y = shifts[SOCKET]
    return lambda drawn: replace(drawn, socket_error=drawn.socket_error + np.array([x, y, 0.0]))


def _cause(insertion: Insertion) -> str:
    """Return the cause of a failure: whether the tip was below the socket's face."""
    face = insertion.drawn.socket_pose(True)[2] + HOLE_DEPTH
    before = [s.pose for s in insertion.samples if s.time <= insertion.program.time_of("release")]
    return "jammed_in_the_hole" if before[-1][2] < face - 0.001 else "missed_the_hole"


def last_push(program: Program) -> tuple[float, float]:
    """Return start and end of the last push [s]."""
    released = program.time_of("release")
    return released - PUSH_S - REST_S, released


def dip_pose(in_palm: Floats) -> Floats:
    """Return (7,) the probe's pose in the world when the hand is at the program's start."""
    wrist = HOME_AT - rotate_vector(np.array(TIP_IN_PALM), DOWN)
    position = wrist + rotate_vector(in_palm[:3], DOWN)
    return np.concatenate([position, qmult(DOWN, in_palm[3:])])
