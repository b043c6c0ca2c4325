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
from hetwin_stand_ins.reaching import ArmKinematics
from hetwin_stand_ins.sensing import Driver, Sensors
from hetwin_suite.episode import ProgramMessages, write_bag
from hetwin_suite.model import WORLD, Floats, pose_value, relative_to
from hetwin_suite.robot import Reading
from hetwin_suite.runs import resource
from hetwin_tables import stand_in
from hetwin_tables.blocks import Block, find_block, read_blocks
from hetwin_tables.controller import Controller
from hetwin_tables.executing import execute
from hetwin_tables.pick_and_place import (
    HOME,
    OPENED_M,
    SQUEEZE_M,
    START_NS,
    place_at_home,
)
from hetwin_tables.task_program import Service

HAND, CUP, OTHER, PLATE = "gripper", "cup1", "cup2", "plate1"
BELIEVED, DETECTOR = "/believed/cup1", "/detections"
ASSUMED_OFFSET = np.array([0.0, -0.1, 0.0])
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
_CLEARANCE = np.array([0.0, 0.0, 0.001])
_ABOVE, _CARRY = np.array([0.0, 0.0, 0.13]), np.array([0.0, 0.0, 0.08])
_BACK, _ACROSS = np.array([-0.1, 0.0, 0.0]), np.array([-0.1, 0.25, 0.0])
"""Retreat of the hand after it has put down the cup, as offsets from there [m]."""


def plan(reacher: ArmKinematics, cup: Block, tray: Block) -> Service:
    """Plan the robot's program with the poses of cup and tray."""
    service = Service(Program(reacher, HOME))
    service.program.grip(OPENED_M)
    service.program.wait(0.4)
    with service.task("set_table", goal=f'on("{CUP}", "tray")'):
        _fail_to_pick_up(service, cup.center + ASSUMED_OFFSET + _GRASP)
        with service.task("look", objects=[CUP, OTHER]):
            service.program.wait(1.0)
        target = np.array([*tray.center[:2], tray.top + cup.size[2] / 2]) + _GRASP
        _pick_up(service, cup.center + _GRASP)
        _put(service, target + _CLEARANCE)
        _knock_over(service, target)
    service.program.wait(0.5)
    return service


def _fail_to_pick_up(service: Service, grasp: Floats) -> None:
    program, arguments = service.program, {"hand": HAND, "object": CUP}
    failure = "nothing between the fingers"
    with service.task("pick_up", goal=f'held("{CUP}", "{HAND}")', failure=failure, **arguments):
        with service.doing("reach", arguments):
            program.move_joints(program.reacher.solve(grasp + _ABOVE, HOME), 1.2)
            program.move_straight(grasp, 0.9)
        with service.doing("move_hand", {**arguments, "goal": "closed"}):
            program.grip(SQUEEZE_M)
            program.wait(1.1)
        with service.doing("move_hand", {**arguments, "goal": "open"}):
            program.grip(OPENED_M)
            program.wait(0.9)
        program.move_straight(grasp + _ABOVE, 0.7)


def _pick_up(service: Service, grasp: Floats) -> None:
    program, arguments = service.program, {"hand": HAND, "object": CUP}
    with service.task(
        "pick_up",
        goal=f'held("{CUP}", "{HAND}")',
        after=["look.1"],
        **arguments,
        grasp="from above",
        because=f"{PLATE} stands beside it",
    ):
        with service.doing("reach", arguments):
            program.move_straight(grasp + _ABOVE, 0.8)
            program.move_straight(grasp, 0.9)
            program.wait(0.1)
        with service.doing("move_hand", {**arguments, "goal": "closed"}):
            program.grip(SQUEEZE_M)
            program.wait(0.9)
        with service.doing("lift", arguments):
            program.move_straight(grasp + _CARRY, 0.8)


def _put(service: Service, target: Floats) -> None:
    program, arguments = service.program, {"hand": HAND, "object": CUP}
    with service.task("carry", after=["pick_up.2"], **arguments, target="tray"):
        program.move_straight(target + _CARRY, 3.0)
    with service.task("place", goal=f'on("{CUP}", "tray")', after=["carry.1"], **arguments):
        with service.doing("lower", {**arguments, "target": "tray"}):
            program.move_straight(target, 0.8)
            program.wait(0.2)
        with service.doing("release", arguments):
            program.grip(OPENED_M)
            program.wait(0.8)


def _knock_over(service: Service, target: Floats) -> None:
    program = service.program
    with service.task("retreat", after=["place.1"], hand=HAND):
        program.move_straight(target + _BACK, 0.6)
        program.move_straight(target + _ACROSS, 1.2)
        program.move_straight(target + _ACROSS + _ABOVE, 0.6)
        program.move_joints(HOME, 1.4)


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
        """Store the current poses."""
        self._times.append(float(data.time))
        poses = {n: np.concatenate([data.xpos[i], data.xquat[i]]) for n, i in self._bodies.items()}
        self._poses.append(poses)

    def pose(self, name: str, time: float) -> Floats:
        """Return (7,) the pose of a body in the world at a time [s]."""
        row = int(np.searchsorted(self._times, time + 1e-9, side="right")) - 1
        return self._poses[row][name]

    def in_frame(self, name: str, frame: str, time: float) -> list[float]:
        """Return the pose of a body in the frame of another one."""
        inner = relative_to(
            _state_at_rest(self.pose(frame, time)), _state_at_rest(self.pose(name, time))
        )
        numbers: list[float] = inner[:7].tolist()
        return numbers


def _state_at_rest(pose: Floats) -> Floats:
    return pose_value(pose[:3], pose[3:]).data


def simulate(seed: int) -> tuple[Service, list[Reading], _Path]:
    """Execute the program on the stand-in, and read its sensors."""
    blocks = read_blocks(resource("worlds", "setting_the_table.sdf"))
    real = {n: stand_in.TruePose(find_block(blocks, n).center, 0.0) for n in (CUP, OTHER, PLATE)}
    model = stand_in.build(blocks, real)
    data = mj.MjData(model)
    reacher = ArmKinematics(model, stand_in.ARM_JOINTS, stand_in.HAND_LINK, stand_in.GRASP_OFFSET)
    service = plan(reacher, find_block(blocks, CUP), find_block(blocks, "tray"))
    program = service.program
    controller = Controller(model, program.set_points(), program.gripper, Grip())
    sensors = Sensors(model, DRIVERS, np.random.default_rng([seed, 0]))
    path = _Path(model, [CUP, OTHER, PLATE, stand_in.HAND_LINK])
    place_at_home(data)
    mj.mj_forward(model, data)
    execute(model, data, program, controller, sensors, lambda: path.observe(data), PATH_PERIOD_S)
    return service, sensors.readings, path


def report_program(service: Service, path: _Path, random: np.random.Generator) -> ProgramMessages:
    """Report the tasks, and the robot's percepts and beliefs."""
    messages, times_of = service.messages, service.times
    look, grasped, released = times_of["look.1"], times_of["lift.1"][0], times_of["release.1"][1]
    for time in np.arange(look[0] + PICTURE_PERIOD_S, look[1], PICTURE_PERIOD_S).tolist():
        pose = path.pose(CUP, time).copy()
        pose[:3] += random.normal(0.0, SEEN_NOISE_M, 3)
        messages.perceive(time, DETECTOR, {CUP: (pose.tolist(), CONFIDENCE)})
    messages.perceive(look[1], DETECTOR, {})
    messages.believe(0.0, "on", CUP, "cupboard", origin="assumed")
    messages.believe(grasped, "held", CUP, HAND, origin="fingers")
    messages.believe(grasped + 0.2, "on", CUP, "cupboard", holds=False, origin="lifted")
    messages.believe(released, "held", CUP, HAND, holds=False, origin="fingers")
    messages.believe(released, "on", CUP, "tray", origin="placed")
    _report_poses(messages, service, path)
    return messages


def _report_poses(messages: ProgramMessages, service: Service, path: _Path) -> None:
    """Report the believed pose of a cup: as assumed, as seen, in the hand, or where tracking was stuck."""
    times_of = service.times
    seen_at, grasped, released = (
        times_of["look.1"][1],
        times_of["lift.1"][0],
        times_of["release.1"][0],
    )
    lost_at, recovered = times_of["carry.1"][0] + 0.2, times_of["carry.1"][1] - 0.3
    assumed = path.pose(CUP, 0.0).copy()
    assumed[:3] += ASSUMED_OFFSET
    for time in np.arange(0.0, service.program.now, BELIEF_PERIOD_S).tolist():
        if time < seen_at:
            messages.pose(time, BELIEVED, assumed.tolist())
        elif lost_at <= time < recovered:
            messages.pose(time, BELIEVED, path.pose(CUP, lost_at).tolist(), WORLD)
        elif grasped <= time < released:
            inner = path.in_frame(CUP, stand_in.HAND_LINK, time)
            messages.pose(time, BELIEVED, inner, stand_in.HAND_LINK)
        else:
            messages.pose(time, BELIEVED, path.pose(CUP, time).tolist())


def record(seed: int, out: Path) -> Mapping[str, tuple[float, float]]:
    """Simulate, and write the bag `out` (must not exist); return task or action -> its start and end [s].

    Args:
        seed: seed of all random numbers.
        out: path of the bag.
    """
    service, readings, path = simulate(seed)
    random = np.random.default_rng([seed, 1])
    with TemporaryDirectory() as folder:
        motion_bag = Path(folder) / out.name
        announcements = service.program.announcements
        write_bag(motion_bag, START_NS, readings, announcements, random)
        report_program(service, path, random).add_to(motion_bag, out)
    return service.times


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description="Record the episode setting_the_table.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="path of the bag; must not exist")
    parsed = parser.parse_args(arguments)
    for name, (begin, end) in record(parsed.seed, parsed.out).items():
        print(f"{name}: {begin:.2f} to {end:.2f} s")


if __name__ == "__main__":
    main()
