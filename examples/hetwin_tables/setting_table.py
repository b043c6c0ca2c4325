"""Records the episode `setting_the_table`: an arm sets a table, and reports its tasks and beliefs.

The robot assumes a cup at a wrong position and picks up nothing. Then it looks and overlooks a second cup. It carries
the first one to a tray, while its tracking is stuck for a while, and knocks over the second one when the hand returns.
Run as ``python -m hetwin_tables.setting_table --out DIR``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import mujoco as mj
import numpy as np

from hetwin_stand_ins.motion import Grip, Program
from hetwin_stand_ins.reaching import Reacher
from hetwin_stand_ins.sensing import Driver, Sensors
from hetwin_suite.episode import ProgramMessages, write_bag
from hetwin_suite.model import WORLD, Floats, pose_value, relative_to
from hetwin_suite.robot import Reading
from hetwin_suite.runs import resource
from hetwin_tables import stand_in
from hetwin_tables.blocks import Block, read_blocks, the_block
from hetwin_tables.controller import Controller
from hetwin_tables.executing import execute
from hetwin_tables.pick_and_place import (
    HOME,
    OPENED_M,
    SQUEEZE_M,
    START_NS,
    place_at_home,
)
from hetwin_tables.service import Service

HAND, CUP, OTHER, PLATE = "gripper", "cup1", "cup2", "plate1"
BELIEVED, DETECTOR = "/believed/cup1", "/detections"
ASSUMED_ASIDE = np.array([0.0, -0.1, 0.0])
"""Offset of the assumed position of the cup from the true one [m]."""
CONFIDENCE = 0.93
SEEN_NOISE_M = 0.001
BELIEF_PERIOD_S, PICTURE_PERIOD_S, PATH_PERIOD_S = 0.1, 0.25, 0.02
DRIVERS = (
    Driver(stand_in.ARM_JOINTS, 40, 0, 1e-4, 2 * np.pi / 2**17, 2e-3, 0.05, 0.05),
    Driver(stand_in.FINGER_JOINTS, 40, 6, 3e-5, 1e-5, 5e-4, 0.15, 0.05),
)
_GRASP = np.array([0.0, 0.0, 0.015])
"""Offset of the grasp from the centre of the cup [m]."""
_CLEAR = np.array([0.0, 0.0, 0.001])
_ABOVE, _CARRY = np.array([0.0, 0.0, 0.13]), np.array([0.0, 0.0, 0.08])
_BACK, _ACROSS = np.array([-0.1, 0.0, 0.0]), np.array([-0.1, 0.25, 0.0])
"""Retreat of the hand after it has put down the cup, as offsets from there [m]."""


def plan(reacher: Reacher, cup: Block, tray: Block) -> Service:
    """Plan the robot's program with the poses of cup and tray."""
    service = Service(Program(reacher, HOME))
    service.program.grip(OPENED_M)
    service.program.wait(0.4)
    with service.task("set_table", goal=f'on("{CUP}", "tray")'):
        _fail_to_pick_up(service, cup.center + ASSUMED_ASIDE + _GRASP)
        with service.task("look", objects=[CUP, OTHER]):
            service.program.wait(1.0)
        place = np.array([*tray.center[:2], tray.top + cup.size[2] / 2]) + _GRASP
        _pick_up(service, cup.center + _GRASP)
        _put(service, place + _CLEAR)
        _knock_over(service, place)
    service.program.wait(0.5)
    return service


def _fail_to_pick_up(service: Service, grasp: Floats) -> None:
    program, held = service.program, {"hand": HAND, "object": CUP}
    failure = "nothing between the fingers"
    with service.task("pick_up", goal=f'held("{CUP}", "{HAND}")', failure=failure, **held):
        with service.doing("reach", held):
            program.swing(program.reacher.solve(grasp + _ABOVE, HOME), 1.2)
            program.line(grasp, 0.9)
        with service.doing("move_hand", {**held, "goal": "closed"}):
            program.grip(SQUEEZE_M)
            program.wait(1.1)
        with service.doing("move_hand", {**held, "goal": "open"}):
            program.grip(OPENED_M)
            program.wait(0.9)
        program.line(grasp + _ABOVE, 0.7)


def _pick_up(service: Service, grasp: Floats) -> None:
    program, held = service.program, {"hand": HAND, "object": CUP}
    with service.task(
        "pick_up",
        goal=f'held("{CUP}", "{HAND}")',
        after=["look.1"],
        **held,
        grasp="from above",
        because=f"{PLATE} stands beside it",
    ):
        with service.doing("reach", held):
            program.line(grasp + _ABOVE, 0.8)
            program.line(grasp, 0.9)
            program.wait(0.1)
        with service.doing("move_hand", {**held, "goal": "closed"}):
            program.grip(SQUEEZE_M)
            program.wait(0.9)
        with service.doing("lift", held):
            program.line(grasp + _CARRY, 0.8)


def _put(service: Service, place: Floats) -> None:
    program, held = service.program, {"hand": HAND, "object": CUP}
    with service.task("carry", after=["pick_up.2"], **held, target="tray"):
        program.line(place + _CARRY, 3.0)
    with service.task("place", goal=f'on("{CUP}", "tray")', after=["carry.1"], **held):
        with service.doing("lower", {**held, "target": "tray"}):
            program.line(place, 0.8)
            program.wait(0.2)
        with service.doing("release", held):
            program.grip(OPENED_M)
            program.wait(0.8)


def _knock_over(service: Service, place: Floats) -> None:
    program = service.program
    with service.task("retreat", after=["place.1"], hand=HAND):
        program.line(place + _BACK, 0.6)
        program.line(place + _ACROSS, 1.2)
        program.line(place + _ACROSS + _ABOVE, 0.6)
        program.swing(HOME, 1.4)


class _Path:
    """The true paths of bodies.

    Args:
        model: model of the world.
        names: names of the bodies.
    """

    def __init__(self, model: mj.MjModel, names: Sequence[str]) -> None:
        self._bodies = {name: model.body(name).id for name in names}
        self._times: list[float] = []
        self._poses: list[dict[str, Floats]] = []

    def observe(self, data: mj.MjData) -> None:
        """Store the present poses."""
        self._times.append(float(data.time))
        poses = {n: np.concatenate([data.xpos[i], data.xquat[i]]) for n, i in self._bodies.items()}
        self._poses.append(poses)

    def pose(self, name: str, time: float) -> Floats:
        """Return (7,) the pose of a body in the world at a time [s]."""
        row = int(np.searchsorted(self._times, time + 1e-9, side="right")) - 1
        return self._poses[row][name]

    def in_frame(self, name: str, frame: str, time: float) -> list[float]:
        """Return the pose of a body in the frame of another one."""
        inner = relative_to(_still(self.pose(frame, time)), _still(self.pose(name, time)))
        numbers: list[float] = inner[:7].tolist()
        return numbers


def _still(pose: Floats) -> Floats:
    return pose_value(pose[:3], pose[3:]).data


def simulate(seed: int) -> tuple[Service, list[Reading], _Path]:
    """Execute the program on the stand-in, and read its sensors."""
    blocks = read_blocks(resource("worlds", "setting_the_table.sdf"))
    real = {n: stand_in.TruePose(the_block(blocks, n).center, 0.0) for n in (CUP, OTHER, PLATE)}
    model = stand_in.build(blocks, real)
    data = mj.MjData(model)
    reacher = Reacher(model, stand_in.ARM_JOINTS, stand_in.HAND_LINK, stand_in.GRASP_OFFSET)
    service = plan(reacher, the_block(blocks, CUP), the_block(blocks, "tray"))
    program = service.program
    controller = Controller(model, program.set_points(), program.gripper, Grip())
    sensors = Sensors(model, DRIVERS, np.random.default_rng([seed, 0]))
    path = _Path(model, [CUP, OTHER, PLATE, stand_in.HAND_LINK])
    place_at_home(data)
    mj.mj_forward(model, data)
    execute(model, data, program, controller, sensors, lambda: path.observe(data), PATH_PERIOD_S)
    return service, sensors.readings, path


def tell(service: Service, path: _Path, random: np.random.Generator) -> ProgramMessages:
    """Report the tasks, and the robot's percepts and beliefs."""
    telling, at = service.telling, service.times
    look, grasped, released = at["look.1"], at["lift.1"][0], at["release.1"][1]
    for time in np.arange(look[0] + PICTURE_PERIOD_S, look[1], PICTURE_PERIOD_S).tolist():
        pose = path.pose(CUP, time).copy()
        pose[:3] += random.normal(0.0, SEEN_NOISE_M, 3)
        telling.perceive(time, DETECTOR, {CUP: (pose.tolist(), CONFIDENCE)})
    telling.perceive(look[1], DETECTOR, {})
    telling.believe(0.0, "on", CUP, "cupboard", origin="assumed")
    telling.believe(grasped, "held", CUP, HAND, origin="fingers")
    telling.believe(grasped + 0.2, "on", CUP, "cupboard", holds=False, origin="lifted")
    telling.believe(released, "held", CUP, HAND, holds=False, origin="fingers")
    telling.believe(released, "on", CUP, "tray", origin="placed")
    _tell_poses(telling, service, path)
    return telling


def _tell_poses(telling: ProgramMessages, service: Service, path: _Path) -> None:
    """Report the believed pose of a cup: as assumed, as seen, in the hand, or where tracking was stuck."""
    at = service.times
    seen, grasped, released = at["look.1"][1], at["lift.1"][0], at["release.1"][0]
    lost, found = at["carry.1"][0] + 0.2, at["carry.1"][1] - 0.3
    assumed = path.pose(CUP, 0.0).copy()
    assumed[:3] += ASSUMED_ASIDE
    for time in np.arange(0.0, service.program.now, BELIEF_PERIOD_S).tolist():
        if time < seen:
            telling.pose(time, BELIEVED, assumed.tolist())
        elif lost <= time < found:
            telling.pose(time, BELIEVED, path.pose(CUP, lost).tolist(), WORLD)
        elif grasped <= time < released:
            inner = path.in_frame(CUP, stand_in.HAND_LINK, time)
            telling.pose(time, BELIEVED, inner, stand_in.HAND_LINK)
        else:
            telling.pose(time, BELIEVED, path.pose(CUP, time).tolist())


def record(seed: int, out: Path) -> Mapping[str, tuple[float, float]]:
    """Simulate, and write the bag `out` (must not exist); return task or action -> its start and end [s].

    Args:
        seed: seed of all random numbers.
        out: path of the bag.
    """
    service, readings, path = simulate(seed)
    random = np.random.default_rng([seed, 1])
    with TemporaryDirectory() as folder:
        moved = Path(folder) / out.name
        announced = service.program.announcements
        write_bag(moved, START_NS, readings, announced, random)
        tell(service, path, random).add_to(moved, out)
    return service.times


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description="Record the episode setting_the_table.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="path of the bag; must not exist")
    given = parser.parse_args(arguments)
    for name, (begin, end) in record(given.seed, given.out).items():
        print(f"{name}: {begin:.2f} to {end:.2f} s")


if __name__ == "__main__":
    main()
