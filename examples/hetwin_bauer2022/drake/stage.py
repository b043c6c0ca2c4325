"""Executes a program on the two-hand robot in Drake, and reads its sensors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RigidTransform
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context

from hetwin_bauer2022.drake.plant import STEP_S, DrakeWorld
from hetwin_bauer2022.drake.witness import DrakePathRecorder
from hetwin_bauer2022.mismatch import RealWorld
from hetwin_bauer2022.two_hands.control import TICK_TOLERANCE, Fingers
from hetwin_bauer2022.two_hands.joints import ALL, ARMS, FINGERS, drives
from hetwin_bauer2022.two_hands.reality import PERIOD_S
from hetwin_bauer2022.two_hands.stage import (
    DRIVERS,
    POSTURES,
    WITNESS_STEPS,
    initial_positions,
)
from hetwin_bauer2022.two_hands.witness import Sample
from hetwin_stand_ins.motion import Program, SetPoints
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading

_CONTROL_PERIODS = round(STEP_S / PERIOD_S)
_DRIVERS = tuple(
    replace(driver, phase_steps=-(-driver.phase_steps // _CONTROL_PERIODS) * _CONTROL_PERIODS)
    for driver in DRIVERS
)
"""Drivers of the stand-in; a first reading between two of Drake's steps is moved to the later one."""
_HAND = slice(ALL.index(FINGERS["right"][0]), ALL.index(FINGERS["right"][-1]) + 1)
_ARM = slice(ALL.index(ARMS["right"][0]), ALL.index(ARMS["right"][-1]) + 1)


def execute_program(
    world: DrakeWorld, program: Program, real: RealWorld, random: np.random.Generator
) -> tuple[list[Reading], list[Sample]]:
    """Simulate the whole program.

    Args:
        world: the real world.
        program: program of the robot; its first gripper command is the initial state of the hand.
        real: true pose of the object, closing of the hand, and compensation of the arm.
        random: generator of sensor noise.

    Returns:
        The readings of the sensors, and the true state of the thing over time.
    """
    simulator = Simulator(world.diagram)
    context = world.plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    initial = np.array([initial_positions(program)[name] for name in ALL])
    robot = _Robot(world, context, initial, program, real)
    body = world.plant.GetBodyByName(world.thing)
    pose = real.truths.poses[world.thing]
    quaternion = pose[3:] / np.linalg.norm(pose[3:])
    world.plant.SetFreeBodyPose(
        context, body, RigidTransform(quaternion=Quaternion(wxyz=quaternion), p=pose[:3])
    )
    witness = DrakePathRecorder(world.plant, world.thing)
    readings: list[Reading] = []
    simulator.Initialize()
    for step in range(0, round(program.now / PERIOD_S) + 1, _CONTROL_PERIODS):
        time = step * PERIOD_S
        robot.command(time)
        if step % WITNESS_STEPS == 0:
            witness.observe(time, context)
        due = [driver for driver in _DRIVERS if driver.due(step)]
        efforts = robot.efforts() if due else np.zeros(0)
        for driver in due:
            indices = [ALL.index(name) for name in driver.joints]
            q, v = robot.positions()[indices], robot.velocities()[indices]
            reading = driver.read(time, q, v, efforts[indices], random)
            readings.append(replace(reading, targets=robot.targets[indices]))
        simulator.AdvanceTo(time + STEP_S)
    return readings, witness.samples


class _Robot:
    """The robot's controller: springs to set points with gravity compensation, and torques for the fingers."""

    def __init__(
        self,
        world: DrakeWorld,
        context: Context,
        initial: Floats,
        program: Program,
        real: RealWorld,
    ) -> None:
        self._plant, self._context, self._instance = world.plant, context, world.robot
        joints = [self._plant.GetJointByName(name) for name in ALL]
        self._q = [joint.position_start() for joint in joints]
        self._v = [joint.velocity_start() for joint in joints]
        self._fingers = Fingers(sorted(program.gripper, key=lambda c: c.time), real.grip, POSTURES)
        self._arm = SetPoints(program.set_points(), TICK_TOLERANCE)
        self._targets, self._speeds = initial.copy(), np.zeros(len(ALL))
        self._torques = np.zeros(len(ALL))
        self._factors = real.gravity_factors
        self._stiffness, self._damping = drives().stiffness[_HAND], drives().damping[_HAND]
        self._desired = self._plant.get_desired_state_input_port(self._instance)
        self._actuation = self._plant.get_actuation_input_port(self._instance)
        self._net = self._plant.get_net_actuation_output_port(self._instance)
        positions = self._plant.GetPositions(context)
        positions[self._q] = initial
        self._plant.SetPositions(context, positions)

    def positions(self) -> Floats:
        """Return (joints,) positions [rad]."""
        return np.asarray(self._plant.GetPositions(self._context)[self._q])

    @property
    def targets(self) -> Floats:
        """Return (joints,) desired positions [rad]."""
        return self._targets.copy()

    def velocities(self) -> Floats:
        """Return (joints,) velocities [rad/s]."""
        return np.asarray(self._plant.GetVelocities(self._context)[self._v])

    def efforts(self) -> Floats:
        """Return (joints,) torques of the drives [Nm]."""
        return np.asarray(self._net.Eval(self._context))

    def command(self, time: float) -> None:
        """Set the inputs for the next step at `time` [s]."""
        self._targets[_ARM], self._speeds[_ARM] = self._arm.at(time)
        torques = self._weight() * self._factors
        torques[_HAND] += self._finger_torques(time)
        limits = self._fingers.torque_limits(time)
        torques[_HAND] = np.clip(torques[_HAND], -limits, limits)
        self._torques = torques
        self._actuation.FixValue(self._context, torques)
        self._desired.FixValue(self._context, np.concatenate([self._targets, self._speeds]))

    def _weight(self) -> Floats:
        """Return (joints,) torques against gravity and inertial forces [Nm]."""
        inertial = np.asarray(self._plant.CalcBiasTerm(self._context))
        gravity = np.asarray(self._plant.CalcGravityGeneralizedForces(self._context))
        return np.asarray((inertial - gravity)[self._v])

    def _finger_torques(self, time: float) -> Floats:
        for period in range(_CONTROL_PERIODS):
            targets = self._fingers.step(time + period * PERIOD_S, self._torques[_HAND])
        q, v = self.positions()[_HAND], self.velocities()[_HAND]
        return np.asarray(self._stiffness * (targets - q) - self._damping * v)
