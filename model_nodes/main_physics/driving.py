"""The drives of a robot's joints, and hands that stop when they meet resistance.

Recorded positions alone hardly show how firmly a hand holds: in a simulation, a tenth of a millimetre decides whether
fingers press. The joints of hands may therefore close by a margin more than recorded, or be pushed by the
recorded efforts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.robot import DriveGroup, DriveMode
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Engine, Unsupported
from model_nodes.main_physics.settings import NamedHand, Settings
from model_nodes.main_physics.sources.part import JointMotion
from model_nodes.main_physics.world.description import Joint, JointDrive, JointKind

_FULL_EFFORT_AT = 0.05
"""Deviation [rad or m] at which a limited drive reaches its full effort, unless the scenario gives a stiffness."""
_ACCELERATION = 20.0
"""Acceleration of a velocity drive, unless the scenario gives another [rad/s^2 or m/s^2]."""


def with_drives(joints: Sequence[Joint], groups: Mapping[str, DriveGroup]) -> tuple[Joint, ...]:
    """Return the joints, each with the drive of its group; a joint without a group follows its command.

    Raises:
        BadInput: if a pattern matches no driven joint, a joint is in two groups, or a limit is missing.
    """
    drives: dict[str, tuple[str, JointDrive]] = {}
    for group, entry in groups.items():
        for i, pattern in enumerate(entry.joints):
            where = f"robot.drives.{group}.joints.{i}"
            for joint in _matching_joints(joints, pattern, where):
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
    """Return a drive limited to the maximum effort in the joint's URDF; None if there is none."""
    if not joint.max_effort:
        return None
    return JointDrive(DriveMode.LIMITED, joint.max_effort / _FULL_EFFORT_AT, None, joint.max_effort)


def _matching_joints(joints: Sequence[Joint], pattern: str, where: str) -> list[Joint]:
    driven = [
        joint
        for joint in joints
        if joint.kind in (JointKind.HINGE, JointKind.SLIDE) and joint.spring is None
    ]
    matching = [joint for joint in driven if fnmatchcase(joint.name, pattern)]
    if not matching:
        raise BadInput(
            "the robot has no such joint that is driven",
            where=where,
            found=pattern,
            expected=f"one of {', '.join(sorted(joint.name for joint in driven))}, or a pattern",
        )
    return matching


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
            stiffness = effort / _FULL_EFFORT_AT if group.stiffness is None else group.stiffness
            return JointDrive(group.mode, stiffness, group.damping, effort)


class LimitedFingers:
    """Changes the drives of joints during a run: from following their command with any effort to a limited effort.

    Args:
        joints: the driven joints, by their names in the scene.

    Attributes:
        names: names of the joints whose drives were changed, in the order of the changes.
    """

    def __init__(self, joints: Mapping[str, Joint]) -> None:
        self._joints = dict(joints)
        self.names: list[str] = []

    def update(self, engine: Engine, names: Sequence[str]) -> bool:
        """Limit the effort of some joints from now on; returns whether any drive has changed.

        A joint without a maximum effort in its URDF keeps following its command; so do all if the engine cannot limit
        them.
        """
        if not names:
            return False
        new = {name: self._drive(name) for name in names if name not in self.names}
        if not new:
            return False
        self.names += new
        return self._limit(engine, new)

    def reapply(self, engine: Engine) -> bool:
        """Limit the same joints in another engine; returns whether there are any."""
        return self._limit(engine, {name: self._drive(name) for name in self.names})

    def press_offset(self, name: str, effort: float) -> float:
        """Return the offset of a joint's command beyond its position that presses with an effort [rad or m]."""
        drive = self._drive(name) if name in self.names else self._joints[name].drive
        if drive is None or drive.mode is not DriveMode.LIMITED or not drive.stiffness:
            return 0.0
        return effort / drive.stiffness

    def _drive(self, name: str) -> JointDrive | None:
        joint = self._joints[name]
        return limited_drive(joint) if joint.drive.mode is DriveMode.FOLLOW else None

    def _limit(self, engine: Engine, drives: Mapping[str, JointDrive | None]) -> bool:
        known = {name: drive for name, drive in drives.items() if drive is not None}
        if not known:
            return False
        try:
            engine.limit_joints(known)
        except Unsupported:
            return False
        return True


class Fingers:
    """The deviation of the hands' joints from the recording.

    Args:
        joints: names of the driven joints, in the order of `Engine.driven`.
        settings: settings of the main model: hands, margin and stiffness.
        engine: engine with the joints; with a stiffness they become soft.

    Attributes:
        loose: indices of the joints that may deviate from their recorded positions.
        soft: whether the recorded efforts push them.
        close_further: whether they close by a margin more than recorded.

    Raises:
        BadInput: if there is no hand with joints, a hand does not define how it closes, or the engine cannot push
            joints.
    """

    def __init__(self, joints: Sequence[str], settings: Settings, engine: Engine) -> None:
        self._engine = engine
        self._margin: Floats = np.zeros(len(joints))
        self._effort_factors: Floats = np.ones(len(joints))
        self.close_further = settings.finger_margin > 0.0
        self.soft = settings.finger_stiffness is not None
        self.loose: tuple[int, ...] = ()
        if self.close_further or self.soft:
            names = {name for hand in settings.hands for name in hand.scene_joints}
            self.loose = tuple(i for i, name in enumerate(joints) if name in names)
        if self.close_further:
            _require_joints(settings, "finger_margin")
            for hand in settings.hands:
                self._close(joints, hand, settings.finger_margin)
        if settings.grips and not self.soft:
            raise BadInput(
                "the fingers move as recorded, however hard they press",
                where="grips",
                found=list(settings.grips),
                expected="finger_stiffness, with which their efforts count",
            )
        if settings.finger_stiffness is not None:
            _require_joints(settings, "finger_stiffness")
            self.press(joints, settings)
            self._soften(settings.finger_stiffness)

    def _close(self, joints: Sequence[str], hand: NamedHand, margin: float) -> None:
        if hand.joints and not (hand.opened and hand.closed):
            raise BadInput(
                "the hand does not say which way its joints close",
                where=f"hands.{hand.name}",
                expected="opened and closed, as finger_margin needs",
            )
        for name, opened, closed in zip(hand.scene_joints, hand.opened, hand.closed, strict=True):
            self._margin[joints.index(name)] = margin * np.sign(closed - opened)

    def press(self, joints: Sequence[str], settings: Settings) -> None:
        """Set the factor on the recorded efforts of each joint of the named hands; only soft joints use it.

        Raises:
            BadInput: if there is no such hand.
        """
        hands = {hand.name: hand for hand in settings.hands}
        for name, factor in settings.grips.items():
            if name not in hands:
                expected = one_of(name, hands)
                raise BadInput(
                    "there is no such hand", where=f"grips.{name}", found=name, expected=expected
                )
            for joint in hands[name].scene_joints:
                self._effort_factors[joints.index(joint)] = factor

    def _soften(self, stiffness: float) -> None:
        try:
            self._engine.soften_joints([self._engine.driven[i] for i in self.loose], stiffness)
        except Unsupported as error:
            raise BadInput(str(error), where="finger_stiffness") from None

    def with_margin(self, motion: JointMotion) -> JointMotion:
        """Return the motion with the margin added, if there is one."""
        if not self.close_further:
            return motion
        return motion._replace(positions=motion.positions + self._margin)

    def efforts(self, motion: JointMotion) -> Floats:
        """Return the efforts that push soft joints [N or Nm]."""
        return motion.efforts * self._effort_factors


def _require_joints(settings: Settings, key: str) -> None:
    if not any(hand.joints for hand in settings.hands):
        raise BadInput("there is no hand with joints", where=key, expected="hands with joints")
