"""Executes the program of a robot with one arm on a stand-in."""

from __future__ import annotations

from collections.abc import Callable

import mujoco as mj

from hetwin_stand_ins.motion import Program
from hetwin_stand_ins.sensing import Sensors
from hetwin_tables import stand_in
from hetwin_tables.controller import CONTROL_PERIOD_S, Controller

_CONTROL_STEPS = round(CONTROL_PERIOD_S / stand_in.PERIOD_S)


def execute(
    model: mj.MjModel,
    data: mj.MjData,
    program: Program,
    controller: Controller,
    sensors: Sensors,
    observe: Callable[[], None],
    period_s: float,
) -> None:
    """Step the real world until the end of the program.

    Args:
        model: model of the world; its only motors are the controller's.
        data: state at the start of the program.
        program: the program.
        controller: controller of the arm.
        sensors: sensors of the robot.
        observe: observes the true state.
        period_s: period of the observations [s].
    """
    period_steps = round(period_s / stand_in.PERIOD_S)
    for step in range(round(program.now / stand_in.PERIOD_S) + 1):
        if step % _CONTROL_STEPS == 0:
            data.ctrl[:] = controller.forces(data)
        if step % period_steps == 0:
            observe()
        sensors.sample(step, data)
        mj.mj_step(model, data)
