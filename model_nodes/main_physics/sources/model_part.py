"""A model of the ensemble as a source of motion: its events drive the base."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.base_events import ALIGN_BASE, DRIVE_BASE
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scenario.source import ModelSpec
from model_nodes.main_physics.sources.commanded_base import CommandedBase, TwistCommand
from model_nodes.main_physics.sources.part import BaseMotion, JointMotion, Part, Placement
from model_nodes.main_physics.wheels import DifferentialDrive
from model_nodes.main_physics.world.description import Body

_BASE = "drive_base"


class ModelPart(Part):
    """Moves a base according to the last event `drive_base` of a model, from the next step on.

    Args:
        spec: the scenario's entry, with the name of the model.
        wheels: wheels of the robot; None: it has none.
    """

    senses = True

    def __init__(self, spec: ModelSpec, wheels: DifferentialDrive | None = None) -> None:
        self._model, self._aligned_by = spec.model, spec.aligned_by
        self._wheels = wheels
        self._base: CommandedBase | None = None
        self._twist = TwistCommand(0.0, 0.0, 0.0)
        self._time_ns = 0

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the wheels' joints."""
        return () if self._wheels is None else self._wheels.joints

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Move a base exactly as the model drives it.

        Raises:
            BadInput: if the base has another `odometry`.
        """
        self._base = CommandedBase.of(robot, base, _BASE, "a model")

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them are wheels.

        Raises:
            BadInput: if there are neither wheels nor a base.
        """
        if self._wheels is None and self._base is None:
            raise BadInput(
                "there is no base that the model could drive",
                where="source.model",
                found=self._model,
                expected=f"robot.wheels, with base: free; or base: {{odometry: {_BASE}}}",
            )
        names = self.joint_names
        driven: NDArray[np.bool_] = np.array([name in names for name in joints], np.bool_)
        self._wheel_indices = np.array([list(joints).index(name) for name in names], np.intp)
        start = np.array([(resting or {}).get(name, 0.0) for name in joints])
        self._positions = np.where(driven, start, 0.0)
        self._zeros = np.zeros(len(joints))
        self._no_efforts = np.full(len(joints), np.nan)
        return driven

    def sense(
        self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]
    ) -> Placement | None:
        """Read the model's commands; returns the pose to which the aligning model moves the base, if any.

        Raises:
            RunFailed: if an event lacks finite numbers.
        """
        placement: Placement | None = None
        for event in events:
            if event.name == DRIVE_BASE and event.source == self._model:
                forward, turn = _numbers(event, "forward", "turn")
                self._twist = TwistCommand(forward, 0.0, turn)
            elif event.name == ALIGN_BASE and event.source == self._aligned_by:
                x, y, yaw = _numbers(event, "x", "y", "yaw")
                placement = (x, y, yaw)
        return placement

    def motion(self, time_ns: int) -> JointMotion:
        """Return the motion of the wheels at a time, which must not decrease."""
        if self._wheels is None:
            return JointMotion(self._zeros, self._zeros, self._zeros, self._no_efforts)
        wheel_velocities = self._wheels.wheel_velocities(self._twist.forward, self._twist.turn)
        velocities = self._zeros.copy()
        velocities[self._wheel_indices] = wheel_velocities
        if time_ns > self._time_ns:
            self._positions = self._positions + velocities * (time_ns - self._time_ns) * 1e-9
            self._time_ns = time_ns
        return JointMotion(self._positions, velocities, self._zeros, self._no_efforts)

    def base(self, time_ns: int) -> BaseMotion:
        """Return the motion of the base at a time, which must not decrease."""
        if self._base is None:
            raise RuntimeError("no base is bound; call bind_base before base")
        self._base.advance(self._twist, time_ns * 1e-9)
        return self._base.motion


def _numbers(event: Event, *names: str) -> list[float]:
    """Return finite numbers among the arguments of an event.

    Raises:
        RunFailed: if one is missing or not finite.
    """
    found = [event.arguments.get(name) for name in names]
    numbers = [float(x) for x in found if isinstance(x, int | float) and not isinstance(x, bool)]
    if len(numbers) != len(names) or not all(map(math.isfinite, numbers)):
        values = ", ".join(f"{name} {value!r}" for name, value in zip(names, found, strict=True))
        reason = f"{event.name} has {values}; expected finite numbers"
        raise RunFailed(event.source, event.name, event.time_ns, reason)
    return numbers
