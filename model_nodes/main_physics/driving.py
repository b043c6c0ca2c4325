"""Gives the joints of a robot the drives that the scenario names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import DriveGroup, DriveMode
from model_nodes.main_physics.world.description import Joint, JointKind
from model_nodes.main_physics.world.drives import JointDrive

_GIVE = 0.05
"""At this deviation [rad or m] a limited drive pulls with all its effort, unless the scenario gives a stiffness."""
_ACCELERATION = 20.0
"""Of a velocity drive, unless the scenario gives another [rad/s^2 or m/s^2]."""


def driven_as(joints: Sequence[Joint], groups: Mapping[str, DriveGroup]) -> tuple[Joint, ...]:
    """Return the joints, each with the drive of its group; without a group it follows its command.

    Raises:
        BadInput: if a pattern means no driven joint, a joint is in two groups, or a limit is missing.
    """
    drives: dict[str, tuple[str, JointDrive]] = {}
    for group, entry in groups.items():
        for i, pattern in enumerate(entry.joints):
            where = f"robot.drives.{group}.joints.{i}"
            for joint in _meant(joints, pattern, where):
                if drives.get(joint.name, (group,))[0] != group:
                    raise BadInput(
                        "this joint is driven twice",
                        where=where,
                        found=joint.name,
                        expected=f"joints that are not in {drives[joint.name][0]}",
                    )
                drives[joint.name] = group, _drive(joint, entry, f"robot.drives.{group}")
    return tuple(
        replace(joint, drive=drives[joint.name][1]) if joint.name in drives else joint
        for joint in joints
    )


def limited_drive(joint: Joint) -> JointDrive | None:
    """Return the drive with all the effort that the URDF gives a joint; None if it gives none."""
    if not joint.max_effort:
        return None
    return JointDrive(DriveMode.LIMITED, joint.max_effort / _GIVE, None, joint.max_effort)


def _meant(joints: Sequence[Joint], pattern: str, where: str) -> list[Joint]:
    driven = [
        joint
        for joint in joints
        if joint.kind in (JointKind.HINGE, JointKind.SLIDE) and joint.spring is None
    ]
    meant = [joint for joint in driven if fnmatchcase(joint.name, pattern)]
    if not meant:
        raise BadInput(
            "the robot has no such joint that is driven",
            where=where,
            found=pattern,
            expected=f"one of {', '.join(sorted(joint.name for joint in driven))}, or a pattern",
        )
    return meant


def _drive(joint: Joint, group: DriveGroup, where: str) -> JointDrive:
    effort = joint.max_effort if group.effort is None else group.effort
    match group.mode:
        case DriveMode.FOLLOW:
            return JointDrive()
        case DriveMode.VELOCITY:
            acceleration = _ACCELERATION if group.acceleration is None else group.acceleration
            return JointDrive(
                group.mode, damping=group.damping, effort=effort, acceleration=acceleration
            )
        case DriveMode.LIMITED:
            if effort is None:
                raise BadInput(
                    "a limited drive needs a limit, and the URDF gives this joint none",
                    where=f"{where}.effort",
                    found=joint.name,
                    expected="effort: the largest effort, in Nm or N",
                )
            stiffness = effort / _GIVE if group.stiffness is None else group.stiffness
            return JointDrive(group.mode, stiffness, group.damping, effort)
