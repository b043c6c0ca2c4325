"""Gazebo's options in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from hetwin_suite.engine import MujocoOptions, check
from hetwin_suite.model import BadInput, Number, Strict, Text

Physics: TypeAlias = Literal["dartsim", "bullet-featherstone"]

_LONGEST, _WITH_SPRINGS = 0.0025, 0.00125
"""Defaults of `GazeboOptions.max_step` without and with springs [s]."""


class GazeboOptions(Strict):
    """Options of the simulation with Gazebo.

    Attributes:
        physics: Gazebo's physics engine.
        collision_detector: collision detector of DART.
        solver: solver of DART.
        max_step: maximum step of Gazebo [s], into which steps of the ensemble are divided. None: 0.0025, or 0.00125 in
        a
            world with springs, which DART integrates more accurately with shorter steps.
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
        longest = self.max_step or (_WITH_SPRINGS if springs else _LONGEST)
        nanoseconds = round(period * 1e9)
        count = substeps * max(1, ceil(nanoseconds * 1e-9 / substeps / longest - 1e-6))
        while nanoseconds % count and count < nanoseconds:
            count += 1
        return count


_OF_SERVERS = frozenset({"server", "partition", "create"})


def read_options(given: Mapping[str, Any]) -> GazeboOptions:
    """Check the options of a scenario.

    Raises:
        BadInput: if an option is unknown, invalid, or does not fit the others.
    """
    if of_mujoco := sorted(given.keys() & MujocoOptions.model_fields.keys()):
        raise BadInput(
            "says how MuJoCo computes contacts and equations, which Gazebo does in ways of its own",
            where=f"options.{of_mujoco[0]}",
            found=given[of_mujoco[0]],
            expected="engine: mujoco, or a variant of the scenario without "
            + ", ".join(f"options.{name}" for name in of_mujoco),
        )
    options = check(GazeboOptions, dict(given), "options")
    if options.server is not None:
        wrong = sorted(options.model_fields_set - _OF_SERVERS)
        why = "is not for a running Gazebo, whose world says how it computes"
    else:
        wrong = sorted(options.model_fields_set & _OF_SERVERS - {"server"})
        why = "is for a Gazebo that runs already, and options.server names none"
    if wrong:
        raise BadInput(why, where=f"options.{wrong[0]}", found=given[wrong[0]])
    return options
