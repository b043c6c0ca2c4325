"""Executes a program on the two-hand robot, and reads its sensors."""

from __future__ import annotations

from pathlib import Path

import mujoco as mj
import numpy as np

from hetwin_bauer2022.mismatch import RealWorld
from hetwin_bauer2022.two_hands.control import Fingers, Impedance, Postures
from hetwin_bauer2022.two_hands.joints import (
    ALL,
    ARMS,
    BODY,
    CLOSED,
    FINGERS,
    GRASP_OFFSET,
    OPENED,
    PALM,
)
from hetwin_bauer2022.two_hands.reality import PERIOD_S
from hetwin_bauer2022.two_hands.witness import PathRecorder
from hetwin_stand_ins.motion import Program
from hetwin_stand_ins.reaching import ArmKinematics
from hetwin_stand_ins.sensing import Driver, Sensors
from hetwin_stand_ins.signals import Wrist
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading

WITNESS_STEPS = 10
"""Steps between two samples of the truth, at 100 Hz."""
POSTURES = Postures(OPENED, CLOSED)

_ENCODER = 2 * np.pi / 2**14
DRIVERS = (
    Driver(BODY, 10, 0, 1e-4, 2 * np.pi / 2**17, 2e-3, 0.1, 0.01),
    Driver(FINGERS["right"], 10, 3, 4e-4, _ENCODER, 5e-3, 0.008, 0.002),
    Driver(FINGERS["left"], 10, 6, 4e-4, _ENCODER, 5e-3, 0.008, 0.002),
)


def right_hand(robot: Path, offset: tuple[float, float, float] = GRASP_OFFSET) -> ArmKinematics:
    """Return the inverse kinematics of the right arm for a point of its palm, by default the grasp frame.

    Args:
        robot: URDF of the robot.
        offset: position of the point in the palm [m].
    """
    return ArmKinematics(mj.MjModel.from_xml_path(str(robot)), ARMS["right"], PALM, offset)


def execute_program(
    model: mj.MjModel,
    program: Program,
    real: RealWorld,
    witness: PathRecorder,
    random: np.random.Generator,
    hidden_s: float = 0.0,
    wrist: Wrist | None = None,
) -> list[Reading]:
    """Simulate the whole program.

    Args:
        model: the real world.
        program: program of the robot; its first gripper command is the initial state of the hand.
        real: how the hand closes and the arm yields.
        witness: samples the true state.
        random: generator of sensor noise.
        hidden_s: duration of simulation before the program, without readings [s]. In its first half, all fixtures of
            the world hold their objects in the hand.
        wrist: wrist sensor to sample; None: there is none.

    Returns:
        The readings of the sensors.
    """
    data = mj.MjData(model)
    initial = start(model, data, program)
    fingers = Fingers(sorted(program.gripper, key=lambda c: c.time), real.grip, POSTURES)
    controller = Impedance(
        model, program.set_points(), initial, fingers, real.gravity_factors, real.compliance
    )
    sensors = Sensors(model, DRIVERS, random)
    hidden = round(hidden_s / PERIOD_S)
    data.time = -hidden_s
    for step in range(-hidden, round(program.now / PERIOD_S) + 1):
        data.eq_active[:] = step < -hidden // 2
        data.ctrl[:] = controller.torques(data)
        if step < 0:
            mj.mj_step(model, data)
            continue
        if step % WITNESS_STEPS == 0:
            witness.observe(step * PERIOD_S, data)
        sensors.sample(step, data, controller.targets)
        if wrist is not None:
            wrist.sample(step, data)
        mj.mj_step(model, data)
    return sensors.readings


def start(model: mj.MjModel, data: mj.MjData, program: Program) -> Floats:
    """Set all joints to the program's start, and return their positions in the order of `ALL` [rad]."""
    positions = initial_positions(program)
    for name, position in positions.items():
        data.joint(name).qpos[0] = position
    mj.mj_forward(model, data)
    return np.array([positions[name] for name in ALL])


def initial_positions(program: Program) -> dict[str, float]:
    """Return joint -> position at the program's start [rad]."""
    positions = dict.fromkeys(ALL, 0.0)
    positions |= dict(zip(ARMS["right"], program.home, strict=True))
    for side, closing in (("right", program.gripper[0].goal), ("left", 0.0)):
        posture = np.tile(OPENED + closing * (CLOSED - OPENED), 4)
        positions |= dict(zip(FINGERS[side], posture, strict=True))
    return positions
