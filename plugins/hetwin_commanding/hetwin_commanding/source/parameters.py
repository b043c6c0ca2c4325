"""Reads controllers from a parameter file of ros2_control."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from hetwin_commanding.source.commands import CommandRefused, GripCommand
from hetwin_commanding.source.ends import (
    STOPPED,
    GoalEnd,
    GripperJudge,
    Outcome,
    Tolerance,
    Tolerances,
)
from hetwin_suite.command import load_yaml
from hetwin_suite.model import BadInput


class Kind(StrEnum):
    """Type of a controller."""

    TRAJECTORY = "joint_trajectory_controller/JointTrajectoryController"
    GRIPPER = "position_controllers/GripperActionController"
    PARALLEL_GRIPPER = "parallel_gripper_action_controller/GripperActionController"


@dataclass(frozen=True, slots=True)
class Controller:
    """A controller and its parameters.

    Attributes:
        name: name of the controller.
        joints: names or patterns of joints; a gripper has one.
        kind: type of the controller.
        tolerances: default tolerances of trajectories.
        gripper: parameters of a gripper: `goal_tolerance`, `allow_stalling`, `stall_velocity_threshold`,
        `stall_timeout`.
        velocity: default velocity of a gripper [rad/s or m/s].
    """

    name: str
    joints: tuple[str, ...]
    kind: Kind = Kind.TRAJECTORY
    tolerances: Tolerances = Tolerances()  # noqa: RUF009 (it cannot be changed)
    gripper: Mapping[str, Any] = field(default_factory=dict)
    velocity: float = 0.1

    @property
    def joint(self) -> str:
        """The joint of a gripper."""
        return self.joints[0]

    def grip(self, position: float, velocity: float | None = None) -> GripCommand:
        """Return the command for a gripper's goal.

        Args:
            position: goal position of its joint [rad or m].
            velocity: velocity of the motion [rad/s or m/s]; None: the default.

        Raises:
            CommandRefused: if a number is not finite, or the velocity is not positive.
        """
        speed = self.velocity if velocity is None else float(velocity)
        if not (math.isfinite(position) and math.isfinite(speed) and speed > 0.0):
            raise CommandRefused(
                f"position {position:g}, velocity {speed:g}; expected finite numbers, the velocity above 0"
            )
        judge = GripperJudge(self.joint, position, **self.gripper)
        return GripCommand(self.name, self.joint, position, speed, judge)

    def has_succeeded(self, outcome: Outcome) -> bool:
        """Whether a gripper's goal has succeeded."""
        stalls = bool(self.gripper.get("allow_stalling", False))
        return outcome.end is GoalEnd.REACHED or (stalls and outcome.end is GoalEnd.STALLED)


_GRIPPER = {
    "goal_tolerance": float,
    "allow_stalling": bool,
    "stall_velocity_threshold": float,
    "stall_timeout": float,
}


def read_controllers(path: Path) -> dict[str, Controller]:
    """Return name -> controller from a parameter file of controller_manager.

    Reads `joints` and `constraints` of a joint_trajectory_controller, and `joint`, `max_velocity` and the conditions of
    success and stall of a gripper's action controller. Controllers of other types are ignored.

    Raises:
        BadInput: with file and line, if there is no such controller, or one of these parameters is invalid.
    """
    document = load_yaml(path)

    def refused(problem: str, where: str, found: Any, expected: str) -> BadInput:
        return document.placed(BadInput(problem, where=where, found=found, expected=expected), path)

    data = document.data if isinstance(document.data, dict) else {}
    manager = _parameters(data, "controller_manager")
    found: dict[str, Controller] = {}
    for name, entry in manager.items():
        kind = entry.get("type") if isinstance(entry, dict) else None
        if not isinstance(kind, str) or kind not in {*Kind}:
            continue
        where, own = f"{name}.ros__parameters", _parameters(data, name)
        key = "joints" if kind == Kind.TRAJECTORY else "joint"
        joints = own.get(key)
        if isinstance(joints, str):
            joints = [joints]
        if not (isinstance(joints, list) and joints and all(isinstance(j, str) for j in joints)):
            raise refused(
                "a controller needs joints",
                f"{where}.{key}",
                joints,
                "names of joints of the robot",
            )
        made = Controller(name, tuple(joints), Kind(kind))
        try:
            found[name] = _with(made, own)
        except _NotOne as error:
            raise refused(
                "this parameter cannot be used", f"{where}.{error.key}", error.found, error.expected
            ) from None
    if not found:
        raise refused(
            "there is no controller that could be commanded",
            "controller_manager.ros__parameters",
            ", ".join(manager) or "none",
            f"one of the type {', '.join(Kind)}",
        )
    return found


class _NotOne(Exception):
    def __init__(self, key: str, found: Any, expected: str) -> None:
        self.key, self.found, self.expected = key, found, expected


def _parameters(data: Mapping[str, Any], node: str) -> dict[str, Any]:
    entry = data.get(node, data.get(f"/{node}"))
    parameters = entry.get("ros__parameters") if isinstance(entry, dict) else None
    return parameters if isinstance(parameters, dict) else {}


def _with(controller: Controller, own: Mapping[str, Any]) -> Controller:
    if controller.kind is Kind.TRAJECTORY:
        constraints = own.get("constraints", {})
        if not isinstance(constraints, dict):
            raise _NotOne("constraints", constraints, "a mapping")
        stopped = _amount(constraints, "stopped_velocity_tolerance", STOPPED, "constraints.")
        path: dict[str, Tolerance] = {}
        goal: dict[str, Tolerance] = {}
        for joint in controller.joints:
            of_joint = constraints.get(joint, {})
            if not isinstance(of_joint, dict):
                raise _NotOne(f"constraints.{joint}", of_joint, "a mapping")
            prefix = f"constraints.{joint}."
            path[joint] = Tolerance(_amount(of_joint, "trajectory", 0.0, prefix))
            goal[joint] = Tolerance(_amount(of_joint, "goal", 0.0, prefix), stopped)
        time = _amount(constraints, "goal_time", 0.0, "constraints.")
        return replace(controller, tolerances=Tolerances(path, goal, time, stopped))
    given: dict[str, Any] = {}
    for key, kind in _GRIPPER.items():
        if key in own:
            given[key] = _flag(own, key) if kind is bool else _amount(own, key, 0.0)
    velocity = _amount(own, "max_velocity", controller.velocity)
    return replace(controller, gripper=given, velocity=velocity or controller.velocity)


def _amount(own: Mapping[str, Any], key: str, default: float, prefix: str = "") -> float:
    value = own.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < math.inf:
        raise _NotOne(f"{prefix}{key}", value, "a number, 0 or more")
    return float(value)


def _flag(own: Mapping[str, Any], key: str) -> bool:
    value = own[key]
    if not isinstance(value, bool):
        raise _NotOne(key, value, "true or false")
    return value


def controllers_of(
    named: Mapping[str, Sequence[str]] | None, parameters: Path | None
) -> dict[str, Controller] | None:
    """Return the controllers of a source; None if it names none.

    Args:
        named: controller -> names or patterns of its joints; for controllers in the file, the file takes precedence.
        parameters: parameter file of ros2_control.

    Raises:
        BadInput: if the file cannot be used.
    """
    if parameters is None:
        if named is None:
            return None
        return {name: Controller(name, tuple(joints)) for name, joints in named.items()}
    found = read_controllers(parameters)
    for name, joints in (named or {}).items():
        found.setdefault(name, Controller(name, tuple(joints)))
    return found
