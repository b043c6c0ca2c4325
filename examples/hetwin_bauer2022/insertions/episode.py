"""Simulates, evaluates and writes one insertion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from transforms3d.quaternions import qmult, rotate_vector

from hetwin_bauer2022.drops.program import DOWN
from hetwin_bauer2022.insertions.boundary import at_the_boundary
from hetwin_bauer2022.insertions.draw import TIP_IN_PALM, Draw, draw
from hetwin_bauer2022.insertions.program import HIDDEN_S, HOME_AT, PUSH_S, REST_S, plan
from hetwin_bauer2022.mismatch import Compliance, RealWorld, Truths
from hetwin_bauer2022.recipe import Recipe, Shifts, unchanged
from hetwin_bauer2022.solar_panel import HOLE_DEPTH, shaft_hull
from hetwin_bauer2022.two_hands.episode_files import path_of, write_files
from hetwin_bauer2022.two_hands.joints import PALM
from hetwin_bauer2022.two_hands.reality import build
from hetwin_bauer2022.two_hands.stage import enact, right_hand
from hetwin_bauer2022.two_hands.witness import Sample, Witness, held, intervals, touched
from hetwin_stand_ins.motion import Grip, Program
from hetwin_stand_ins.signals import Wrist
from hetwin_stand_ins.solids import read_solids
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading
from hetwin_suite.runs import BadInput, RunFailed

WORLD = "solar_panel.sdf"
SCENARIO = "insertion"
SOCKET = "spu"
IN_M = 0.002
"""Maximum distance of a fully inserted probe from the bottom of the hole [m]."""
JAMMED_M = 0.01
"""Minimum distance from the bottom of the hole at which an insertion has failed [m]."""
MOST_STRAIN = 0.036
"""Maximum deflection of the arm's joints while it pushes into the socket [rad]."""
_METAL = (0.002, 1.0)


_TRIES = 20


@dataclass(frozen=True, slots=True)
class Insertion:
    """A simulated insertion.

    Attributes:
        drawn: draw of the episode.
        program: the robot's program.
        readings: readings of its sensors.
        samples: path of the probe.
        short: distances of the tip from the centre of the hole's bottom, at the opening of the hand and at the end [m].
        boundary: whether it may end halfway; only a full insertion at the end is then a success.
        wrist: wrist sensor with its samples.
    """

    drawn: Draw
    program: Program
    readings: list[Reading]
    samples: list[Sample]
    short: tuple[float, float]
    boundary: bool = False
    wrist: Wrist | None = None

    @property
    def success(self) -> bool | None:
        """Whether the probe is inserted; None if it is halfway, or moves in or out after the release."""
        if max(self.short) <= IN_M:
            return True
        if self.boundary and np.isfinite(self.short).all():
            return self.short[1] <= IN_M
        return False if min(self.short) >= JAMMED_M else None


def simulate(
    random: np.random.Generator, root: Path, worse: Callable[[RealWorld], RealWorld] = unchanged
) -> Insertion:
    """Draw an episode and simulate it.

    Args:
        random: generator of random numbers for this episode.
        root: folder that holds `urdf` and `worlds`.
        worse: applies the mismatches to the real world.
    """
    return carry_out(draw(random), random, root, worse)


def carry_out(
    drawn: Draw,
    random: np.random.Generator,
    root: Path,
    worse: Callable[[RealWorld], RealWorld] = unchanged,
) -> Insertion:
    """Execute the program of an episode in the drawn world.

    Args:
        drawn: draw of the episode.
        random: generator of sensor noise.
        root: folder that holds `urdf` and `worlds`.
        worse: applies the mismatches to the real world.
    """
    robot = root / "urdf" / "two_hand_robot.urdf"
    program = plan(right_hand(robot, TIP_IN_PALM), drawn)
    truths = Truths(
        {"spu": drawn.socket_pose(True), "dip": dip_pose(drawn.dip_in_palm(True))},
        {"dip": drawn.dip_mass},
        drawn.finger_friction,
        _METAL,
        {"dip": shaft_hull()},
        {"dip": drawn.dip_in_palm(True)},
    )
    solids = [
        solid
        for solid in read_solids(root / "worlds" / WORLD)
        if solid.model != "dip" or solid.name == "handle"
    ]
    compliance = Compliance(drawn.softness, push(program), MOST_STRAIN)
    real = worse(RealWorld(truths, Grip(drawn.force), drawn.gravity_factors, compliance))
    model = build(robot, solids, real.truths)
    witness = Witness(model, "dip")
    wrist = Wrist(model, PALM, random.spawn(1)[0])
    readings = enact(model, program, real, witness, random, HIDDEN_S, wrist)
    samples = witness.samples
    opened = next(s for s in reversed(samples) if s.time <= program.when("release"))
    bottom = drawn.socket_pose(True)[:3]
    short = [float(np.linalg.norm(s.pose[:3] - bottom)) for s in (opened, samples[-1])]
    return Insertion(drawn, program, readings, samples, (short[0], short[1]), wrist=wrist)


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
    shifted = _shifter(recipe.shifts)
    if recipe.boundary:
        done, again = _at_the_boundary(random, root, recipe, shifted), 0
    else:
        done, again = _whole(random, root, recipe.worse, shifted)
    drawn = done.drawn
    summary = {
        "label": "success" if done.success else "failure",
        "cause": "" if done.success else _cause(done),
        "searched": drawn.search_radius > 0.0,
        "short": round(done.short[0], 5),
        "drawn_again": again,
    }
    truth = {
        **summary,
        **recipe.truth,
        "failed": None if done.success else "insert",
        "short_at_end": round(done.short[1], 5),
        "held": intervals(done.samples, held(done.samples)),
        "contact": intervals(done.samples, touched(done.samples)),
        "poses": {"spu": drawn.socket_pose(True).round(6).tolist()},
        "drawn": asdict(drawn),
        **path_of("dip", done.samples),
    }
    believed = {"spu": drawn.socket_pose(False), "dip": dip_pose(drawn.dip_in_palm(False))}
    write_files(
        folder,
        recipe.index,
        SCENARIO,
        believed,
        truth,
        done.program,
        done.readings,
        random,
        done.wrist,
    )
    return summary


def _at_the_boundary(
    random: np.random.Generator,
    root: Path,
    recipe: Recipe,
    shifted: Callable[[Draw], Draw] | None,
) -> Insertion:
    """Simulate an insertion that may end anywhere.

    Raises:
        RunFailed: if the simulation broke down.
    """
    drawn = at_the_boundary(draw(random), recipe.random("boundary"))
    drawn = drawn if shifted is None else shifted(drawn)
    done = replace(carry_out(drawn, random, root, recipe.worse), boundary=True)
    if done.success is None:
        raise RunFailed("insertion", "simulate", 0, f"the probe ended at {done.short} m")
    return done


def _whole(
    random: np.random.Generator,
    root: Path,
    worse: Callable[[RealWorld], RealWorld],
    shifted: Callable[[Draw], Draw] | None,
) -> tuple[Insertion, int]:
    """Return the first insertion that does not end halfway, and the number of draws before it; then apply the shift.

    Raises:
        RunFailed: if many draws end halfway.
    """
    for again in range(_TRIES):
        before = random.bit_generator.state
        done = simulate(random, root, worse)
        if done.success is None:
            continue
        if shifted is not None:
            random.bit_generator.state = before
            done = carry_out(shifted(draw(random)), random, root, worse)
        return done, again
    raise RunFailed("insertion", "simulate", 0, f"{_TRIES} draws ended halfway")


def _shifter(shifts: Shifts) -> Callable[[Draw], Draw] | None:
    """Return a function that adds an offset to the socket's true position; None if nothing is shifted."""
    for name in shifts:
        if name != SOCKET:
            raise BadInput(
                "this is nothing that stands in an insertion",
                where="--shift",
                found=name,
                expected=SOCKET,
            )
    if not shifts:
        return None
    x, y = shifts[SOCKET]
    return lambda drawn: replace(drawn, socket_error=drawn.socket_error + np.array([x, y, 0.0]))


def _cause(done: Insertion) -> str:
    """Return the cause of a failure: whether the tip was below the socket's face."""
    face = done.drawn.socket_pose(True)[2] + HOLE_DEPTH
    before = [s.pose for s in done.samples if s.time <= done.program.when("release")]
    return "jammed_in_the_hole" if before[-1][2] < face - 0.001 else "missed_the_hole"


def push(program: Program) -> tuple[float, float]:
    """Return start and end of the last push [s]."""
    released = program.when("release")
    return released - PUSH_S - REST_S, released


def dip_pose(in_palm: Floats) -> Floats:
    """Return (7,) the probe's pose in the world when the hand is at the program's start."""
    wrist = HOME_AT - rotate_vector(np.array(TIP_IN_PALM), DOWN)
    position = wrist + rotate_vector(in_palm[:3], DOWN)
    return np.concatenate([position, qmult(DOWN, in_palm[3:])])
