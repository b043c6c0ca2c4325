"""Records the episode `pouring`: an arm takes a jug from a table and pours its content into a bowl.

The stand-in's jug is filled with balls that roll with friction, so that the truth contains their counts. Run as
``python -m hetwin_tables.pouring --out DIR``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt
from pathlib import Path

import mujoco as mj
import numpy as np

from hetwin_stand_ins.motion import Grip, Program
from hetwin_stand_ins.physics import add_solid
from hetwin_stand_ins.reaching import ArmKinematics
from hetwin_stand_ins.sensing import Driver, Sensors
from hetwin_stand_ins.solids import Solid, read_solids
from hetwin_suite.episode import write_bag
from hetwin_suite.model import Floats, Json
from hetwin_suite.robot import Reading
from hetwin_tables import stand_in
from hetwin_tables.controller import Controller
from hetwin_tables.executing import execute
from hetwin_tables.single_simulation import DENSITY, RADIUS, WORLD, settled_particles

START_NS = 1_789_374_612_480_000_000
"""Stamp of the first reading: 14 September 2026, 08:30:12.48 UTC."""
HOME = np.array([0.3, -0.3, 1.9, 0.0, -0.03, 0.0])
FORWARD = np.array([sqrt(0.5), 0.0, sqrt(0.5), 0.0])
"""Orientation of the hand, w x y z: it points forward, and its fingers close sideways."""
OPENED_M, SQUEEZE_M = 0.04, 0.0
POURING_ANGLE = 1.95
"""Tilt of the jug about the hand's axis [rad]."""
TRUTH_PERIOD_S = 0.1
_STIFF_CONTACT = (0.002, 1.0)
_DRIVERS = (
    Driver(stand_in.ARM_JOINTS, 40, 0, 2e-4, 2 * np.pi / 2**17, 2e-3, 0.05, 0.01),
    Driver(stand_in.FINGER_JOINTS, 40, 6, 3e-5, 1e-5, 5e-4, 0.15, 0.05),
)


@dataclass(frozen=True, slots=True)
class BallCounts:
    """The numbers of balls in jug and bowl at a time [s]."""

    time: float
    in_jug: int
    in_bowl: int


@dataclass(frozen=True, slots=True)
class Episode:
    """The program, the sensor readings, and the true numbers of balls."""

    program: Program
    readings: list[Reading]
    counts: list[BallCounts]


@dataclass(frozen=True, slots=True)
class Vessel:
    """A round cup of the world file.

    Attributes:
        at: (3,) position of its centre in the world [m].
        radius: inner radius [m].
        height: height of its walls [m].
        friction: friction coefficient of its walls.
    """

    at: Floats
    radius: float
    height: float
    friction: float

    @classmethod
    def read(cls, name: str) -> Vessel:
        """Read a vessel from the walls around its centre in the world file."""
        wall = next(s for s in read_solids(WORLD) if s.model == name and s.kind == "box")
        distance = float(np.hypot(*(wall.position - wall.origin[:3])[:2]))
        return cls(wall.origin[:3], distance - wall.size[0] / 2, float(wall.size[2]), wall.friction)


JUG, BOWL = Vessel.read("jug"), Vessel.read("bowl")


def plan(reacher: ArmKinematics) -> Program:
    """Plan the robot's program with the true poses of jug and bowl."""
    jug, bowl = JUG.at, BOWL.at
    approach = np.array([-0.13, 0.0, 0.0])
    lifted = np.array([jug[0], jug[1], bowl[2] + BOWL.height / 2 + 0.10])
    above_bowl = np.array([bowl[0], bowl[1] + 0.075, lifted[2]])
    hand: dict[str, Json] = {"hand": "gripper"}
    arguments = {**hand, "object": "jug"}
    pour_arguments = {**arguments, "target": "bowl"}
    program = Program(reacher, HOME, FORWARD)
    program.grip(OPENED_M)
    program.wait(0.5)
    with program.doing("reach", arguments):
        program.move_joints(reacher.solve(jug + approach, HOME, FORWARD), 1.6)
        program.move_straight(jug, 1.0)
        program.wait(0.1)
    with program.doing("move_hand", {**arguments, "goal": "closed"}):
        program.grip(SQUEEZE_M)
        program.wait(1.0)
    with program.doing("lift", arguments):
        program.move_straight(lifted, 1.0)
    with program.doing("move", pour_arguments):
        program.move_straight(above_bowl, 1.2)
    upright = program.last
    with program.doing("pour", pour_arguments):
        program.move_joints(upright + _roll(POURING_ANGLE), 2.0)
        program.wait(1.0)
        program.move_joints(upright, 1.2)
    with program.doing("lower", arguments):
        program.move_straight(lifted, 1.2)
        program.move_straight(np.add(jug, (0.0, 0.0, 0.002)), 1.0)
        program.wait(0.2)
    with program.doing("release", arguments), program.doing("move_hand", {**hand, "goal": "open"}):
        program.grip(OPENED_M)
        program.wait(0.8)
    with program.doing("retreat", hand):
        program.move_straight(jug + approach, 0.9)
    program.wait(0.4)
    return program


def _roll(angle: float) -> Floats:
    """Return the joint displacement that rolls the hand about its pointing axis, by the last joint alone."""
    joints = np.zeros(len(stand_in.ARM_JOINTS))
    joints[-1] = angle
    return joints


def simulate(balls: int, seed: int) -> Episode:
    """Execute the program on the stand-in, and read its sensors."""
    random = np.random.default_rng([seed, 0])
    model = build(settled_particles(balls) if balls else np.empty((0, 3)))
    data = mj.MjData(model)
    reacher = ArmKinematics(model, stand_in.ARM_JOINTS, stand_in.HAND_LINK, stand_in.GRASP_OFFSET)
    program = plan(reacher)
    controller = Controller(model, program.set_points(), program.gripper, Grip())
    sensors = Sensors(model, _DRIVERS, random)
    _start(model, data)
    counts: list[BallCounts] = []

    def observe() -> None:
        counts.append(_count(model, data, balls))

    execute(model, data, program, controller, sensors, observe, TRUTH_PERIOD_S)
    return Episode(program, sensors.readings, counts)


def build(balls: Floats) -> mj.MjModel:
    """Compile the real world: robot with motors, table, cups, and balls (n, 3) in the jug's frame."""
    spec, solids = stand_in.robot_with_motors(), read_solids(WORLD)
    spec.option.solver = mj.mjtSolver.mjSOL_CG  # faster for a pile of balls
    bodies: dict[str, mj.MjsBody] = {}
    for solid in solids:
        if not solid.moves:
            _add_solid(spec.worldbody, solid, np.zeros(3), 0.0)
            continue
        if solid.model not in bodies:
            body = spec.worldbody.add_body(name=solid.model, pos=solid.origin[:3])
            body.add_freejoint(name=solid.model)
            bodies[solid.model] = body
        parts = sum(other.model == solid.model for other in solids)
        _add_solid(bodies[solid.model], solid, solid.origin[:3], solid.mass / parts)
    for i, position in enumerate(balls):
        body = spec.worldbody.add_body(name=f"ball {i}", pos=JUG.at + position)
        body.add_freejoint()
        body.add_geom(
            type=mj.mjtGeom.mjGEOM_SPHERE,
            size=[RADIUS, 0.0, 0.0],
            density=DENSITY,
            condim=3,
            friction=[JUG.friction, 0.005, 0.0001],
            solref=_STIFF_CONTACT,
        )
    return spec.compile()


def _add_solid(body: mj.MjsBody, solid: Solid, origin: Floats, mass: float) -> None:
    geom = add_solid(body, solid, solid.position - origin, solid.quaternion)
    geom.friction, geom.solref = [solid.friction, 0.005, 0.0001], _STIFF_CONTACT
    if mass:
        geom.mass = mass


def _start(model: mj.MjModel, data: mj.MjData) -> None:
    for name, position in zip(stand_in.ARM_JOINTS, HOME, strict=True):
        data.joint(name).qpos[0] = position
    for name in stand_in.FINGER_JOINTS:
        data.joint(name).qpos[0] = OPENED_M
    mj.mj_forward(model, data)


def _count(model: mj.MjModel, data: mj.MjData, balls: int) -> BallCounts:
    if not balls:
        return BallCounts(round(float(data.time), 3), 0, 0)
    first = model.body("ball 0").id
    points = data.xpos[first : first + balls]

    def inside(vessel_name: str, vessel: Vessel) -> int:
        body = model.body(vessel_name).id
        local = (points - data.xpos[body]) @ data.xmat[body].reshape(3, 3)
        is_near = np.hypot(local[:, 0], local[:, 1]) < vessel.radius
        return int((is_near & (np.abs(local[:, 2]) < vessel.height / 2 + RADIUS)).sum())

    return BallCounts(round(float(data.time), 3), inside("jug", JUG), inside("bowl", BOWL))


def record(out: Path, truth: Path, balls: int, seed: int) -> None:
    """Simulate and write the bag `out` (must not exist) and the truth file `truth`."""
    episode = simulate(balls, seed)
    random = np.random.default_rng([seed, 1])
    announcements = episode.program.announcements
    write_bag(out, START_NS, episode.readings, announcements, random)
    truth_data = {
        "start_ns": START_NS,
        "balls": balls,
        "tilted_by_deg": round(POURING_ANGLE * 180 / pi, 1),
        "columns": ["time", "in_jug", "in_bowl"],
        "counts": [[c.time, c.in_jug, c.in_bowl] for c in episode.counts],
    }
    truth.write_text(json.dumps(truth_data) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description="Record the episode pouring.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--balls", type=int, default=50, help="balls in the jug (default: 50)")
    parser.add_argument("--out", type=Path, required=True, help="path of the bag; must not exist")
    parser.add_argument("--truth", type=Path, help="default: OUT with _truth.json at its end")
    parsed = parser.parse_args(arguments)
    distance: Path = parsed.out
    record(
        distance,
        parsed.truth or distance.with_name(f"{distance.name}_truth.json"),
        parsed.balls,
        parsed.seed,
    )


if __name__ == "__main__":
    main()
