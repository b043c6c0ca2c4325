"""Gazebo's options in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from hetwin_suite.engine import MujocoOptions, check
from hetwin_suite.model import BadInput, Number, Strict, Text

Physics: TypeAlias = Literal["dartsim", "bullet-featherstone"]

_MAX_STEP, _MAX_STEP_WITH_SPRINGS = 0.0025, 0.00125
"""Defaults of `GazeboOptions.max_step` without and with springs [s]."""


class GazeboOptions(Strict):
    """Options of the simulation with Gazebo.

    Attributes:
        physics: Gazebo's physics engine.
        collision_detector: collision detector of DART.
        solver: solver of DART.
        max_step: maximum step of Gazebo [s]; steps of the ensemble are divided into equal parts. None: 0.0025, or
            0.00125 in a world with springs, which DART integrates more accurately with shorter steps.
        visible: whether other programs see the engine's world, like that of any Gazebo.
        server: name of the world of a running Gazebo; None: the engine runs Gazebo in its own process.
        partition: GZ_PARTITION of that Gazebo; None: the environment's, or Gazebo's default.
        create: whether models of the scenario that are missing in that world are created.
    """

    physics: Physics = "dartsim"
    collision_detector: Literal["ode", "bullet", "fcl", "dart"] = "ode"
    solver: Literal["dantzig", "pgs"] = "dantzig"
    max_step: Annotated[Number, Field(gt=0)] | None = None
    visible: bool = True
    server: Text | None = None
    partition: Text | None = None
    create: bool = False

    def steps(self, period: float, substeps: int, *, springs: bool = False) -> int:
        """Return the number of equal steps, in whole nanoseconds, into which a period is divided."""
        max_step = self.max_step or (_MAX_STEP_WITH_SPRINGS if springs else _MAX_STEP)
        nanoseconds = round(period * 1e9)
        count = substeps * max(1, ceil(nanoseconds * 1e-9 / substeps / max_step - 1e-6))
        while nanoseconds % count and count < nanoseconds:
            count += 1
        return count


_SERVER_OPTIONS = frozenset({"server", "partition", "create"})


def read_options(values: Mapping[str, Any]) -> GazeboOptions:
    """Check the options of a scenario.

    Raises:
        BadInput: if an option is unknown, invalid, or does not fit the others.
    """
    if mujoco_options := sorted(values.keys() & MujocoOptions.model_fields.keys()):
        raise BadInput(
            "sets MuJoCo's computation of contacts and constraints, which Gazebo does not use",
            where=f"options.{mujoco_options[0]}",
            found=values[mujoco_options[0]],
            expected="engine: mujoco, or a variant of the scenario without "
            + ", ".join(f"options.{name}" for name in mujoco_options),
        )
    options = check(GazeboOptions, dict(values), "options")
    if options.server is not None:
        misplaced = sorted(options.model_fields_set - _SERVER_OPTIONS)
        reason = "does not apply to a running Gazebo, whose world sets its physics"
    else:
        misplaced = sorted(options.model_fields_set & _SERVER_OPTIONS - {"server"})
        reason = "applies only to a running Gazebo, but options.server is not set"
    if misplaced:
        raise BadInput(reason, where=f"options.{misplaced[0]}", found=values[misplaced[0]])
    return options
