"""Holding of grasped objects in a Gazebo world: a MuJoCo mirror detects grasps, velocities carry the object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Protocol

import mujoco as mj
import numpy as np

from hetwin_grasp import (
    FAR_PERIOD_S,
    NEAR_PERIOD_S,
    Grip,
    MujocoHand,
    find_hand,
    mujoco_model_of,
)
from hetwin_suite.engine import rotation_vector
from hetwin_suite.model import BadInput, Event, Floats, one_of

INTEGRAL_GAIN = 0.2
"""Fraction of a step's velocity error that is added to all later velocity commands."""
MAX_CONTACT_FORCE_N, MAX_CONTACT_WEIGHTS = 100.0, 2.0
"""Limit of the force against contacts: a constant [N], plus a multiple of the object's weight."""


class WorldAccess(Protocol):
    """Access to a world. Links and joints have scoped names ``model::name``; free models have plain names."""

    def sdf(self) -> str:
        """Return the current world as SDFormat, with the models that were added at run time."""

    def positions(self, joints: Iterable[str]) -> Mapping[str, float]:
        """Return positions of joints [m or rad]."""

    def pose(self, name: str) -> Floats:
        """Return the pose (7,) in the world of a link, or of a model's root link."""

    def move(self, model: str, twist: Floats) -> None:
        """Set the twist (6,) of a model's root link for the next step, along the world's axes [m/s, rad/s]."""


@dataclass(frozen=True)
class GraspSettings:
    """Contents of the plugin's SDFormat element.

    Attributes:
        hand: link that carries the fingers or the suction cup.
        objects: names or patterns of the models that may be held.
        largest: maximum radius of the bounding sphere of an object that may be held [m].
        fingers: joint -> its positions in the open and the closed hand; needed only if shapes and limits are not
            sufficient to find them.
    """

    hand: str
    objects: Sequence[str] = ("*",)
    largest: float = 0.5
    fingers: Mapping[str, tuple[float, float]] = field(default_factory=dict)


class ObjectHolder:
    """One hand that holds objects in a world.

    Args:
        world: the world, which Gazebo steps.
        settings: settings of the hand.
        listener: called with `grip_closed` and `grip_lost`.

    Attributes:
        description: text for the user about the hand and the objects that it cannot hold.

    Raises:
        BadInput: if the hand, its joints or the objects are not in the world.
    """

    def __init__(
        self, world: WorldAccess, settings: GraspSettings, listener: Callable[[Event], None]
    ) -> None:
        self._world, self._listener = world, listener
        self._model = model = mujoco_model_of(world.sdf())
        self._data = mj.MjData(model)
        self._joints = _qpos_addresses(model, mj.mjtJoint.mjJNT_SLIDE, mj.mjtJoint.mjJNT_HINGE)
        self._free = {
            model.body(int(model.jnt_bodyid[model.joint(name).id])).name: address
            for name, address in _qpos_addresses(model, mj.mjtJoint.mjJNT_FREE).items()
        }
        self._zeros = self._find_zeros()
        for name, zero in self._zeros.items():
            model.jnt_range[model.joint(name).id] -= zero
        hand = self._hand(settings)
        holdable = self._holdable(settings)
        self._grip = Grip(model, self._data, hand, holdable, None, listener)
        self._restrict_reads(int(model.body_rootid[hand.bodies[0]]), holdable)
        self.description = _describe_hand(model, hand)
        models = [name for name in self._free if name not in self._base]
        if shapeless := [name for name in models if not self._has_shape(name)]:
            self.description += f", and never {', '.join(shapeless)}: no shape that hetwin reads"
        self._held, self._next_update_s, self._last_step_s = 0, 0.0, 0.0
        self._hand_twist = np.zeros(6)
        self._compensation = ContactCompensation()

    @property
    def held(self) -> str:
        """Name of the held model; empty if there is none."""
        return str(self._model.body(self._held).name) if self._held else ""

    def set_suction(self, on: bool) -> None:
        """Switch the suction of a hand without fingers."""
        self._grip.suction_on, self._next_update_s = on, 0.0

    def release(self) -> None:
        """Release the held object, notify the listener, and restart the grasp detection."""
        self._release_held()
        lost, self._held = self.held, 0
        self._grip.restart()
        if lost:
            now_ns = round(self._last_step_s * 1e9)
            self._listener(Event("grip_lost", now_ns, arguments={"object": lost, "opened": False}))

    def step(self, seconds: float) -> None:
        """Prepare the world's next step, at its simulation time [s]."""
        period, self._last_step_s = seconds - self._last_step_s, seconds
        if not self._held and seconds < self._next_update_s:
            return
        self._data.time = seconds
        is_due = seconds >= self._next_update_s
        self._update(self._free if is_due else [*self._base, self.held])
        if self._held and period > 0.0:
            self._hand_twist, twist = self._grip.follow(period)
            pose = np.append(self._data.xpos[self._held], self._data.xquat[self._held])
            self._world.move(self.held, self._compensation.compensated_twist(pose, twist, period))
        if is_due:
            self._next_update_s = seconds + (NEAR_PERIOD_S if self._grip.update() else FAR_PERIOD_S)
            if self._grip.held != self._held:
                self._release_held()
                self._held = self._grip.held
                if self._held:
                    self._grip.follow(0.0)
                    self._compensation = ContactCompensation(
                        self._mass(self.held), self._size(self.held)
                    )

    def _release_held(self) -> None:
        """Leave the held object with the hand's velocity at its position, without the servo's correction."""
        if self._held:
            self._world.move(self.held, self._hand_twist)

    def _restrict_reads(self, robot: int, objects: Iterable[str]) -> None:
        """Restrict later reads to the joints and the base of the robot, and to the objects that it may hold."""
        model = self._model
        self._joints = {
            name: address
            for name, address in self._joints.items()
            if model.body_rootid[model.jnt_bodyid[model.joint(name).id]] == robot
        }
        self._base = [name for name in self._free if model.body(name).id == robot]
        relevant = {*objects, *self._base}
        self._free = {name: address for name, address in self._free.items() if name in relevant}

    def _update(self, free: Iterable[str]) -> None:
        qpos = self._data.qpos
        for name, position in self._world.positions(self._joints).items():
            qpos[self._joints[name]] = position - self._zeros[name]
        for name in free:
            address = self._free[name]
            qpos[address : address + 7] = self._world.pose(name)
        mj.mj_kinematics(self._model, self._data)

    def _find_zeros(self) -> dict[str, float]:
        """Return the joint positions at which the links have the poses of the SDFormat.

        These are either the initial positions (0) or the current ones: those that fit the world's link poses better.
        """
        initial = dict.fromkeys(self._joints, 0.0)
        current = dict(self._world.positions(self._joints))
        return min(initial, current, key=self._deviation)

    def _deviation(self, zeros: dict[str, float]) -> float:
        """Return the largest deviation of the mirror's moving links from the world's [m, plus 1 - |q . q'|]."""
        self._zeros = zeros
        self._update(self._free)
        worst = 0.0
        for name in self._joints:
            body = int(self._model.jnt_bodyid[self._model.joint(name).id])
            actual = self._world.pose(self._model.body(body).name)
            mirrored = np.append(self._data.xpos[body], self._data.xquat[body])
            deviation = (
                np.abs(mirrored[:3] - actual[:3]).max()
                + 1.0
                - abs(float(mirrored[3:] @ actual[3:]))
            )
            worst = max(worst, float(deviation))
        return worst

    def _hand(self, settings: GraspSettings) -> MujocoHand:
        names = [self._model.body(body).name for body in range(1, self._model.nbody)]
        found = [n for n in names if n == settings.hand or n.endswith(f"::{settings.hand}")]
        if len(found) != 1:
            raise BadInput(
                "several links have this name" if found else "no link has this name",
                where="hand",
                found=settings.hand,
                expected=", ".join(found) or one_of(settings.hand, names),
            )
        model = found[0].rpartition("::")[0]
        fingers = {}
        for joint, (opened, closed) in settings.fingers.items():
            name = joint if "::" in joint else f"{model}::{joint}"
            zero = self._zeros.get(name, 0.0)
            fingers[name] = opened - zero, closed - zero
        return find_hand(self._model, found[0], fingers)

    def _holdable(self, settings: GraspSettings) -> list[str]:
        """Return the free models that may be held."""
        named = [
            n for n in self._free if any(fnmatchcase(n, pattern) for pattern in settings.objects)
        ]
        return [name for name in named if self._size(name) <= settings.largest] or [
            *settings.objects
        ]

    def _has_shape(self, name: str) -> bool:
        root = self._model.body(name).id
        return bool((self._model.body_rootid[self._model.geom_bodyid] == root).any())

    def _mass(self, name: str) -> float:
        return float(self._model.body_subtreemass[self._model.body(name).id])

    def _size(self, name: str) -> float:
        model = self._model
        geoms = np.flatnonzero(model.geom_bodyid == model.body(name).id)
        reach = np.linalg.norm(model.geom_pos[geoms], axis=1) + model.geom_rbound[geoms]
        return float(reach.max(initial=0.0))


class ContactCompensation:
    """Compensates the velocity that gravity and contacts take from a body with a commanded velocity.

    Fingers that squeeze a light body change its velocity in each step by more than the servo corrects.

    Args:
        mass: mass of the body [kg].
        radius: radius of its bounding sphere [m].
    """

    def __init__(self, mass: float = 1.0, radius: float = 0.0) -> None:
        force = MAX_CONTACT_FORCE_N + MAX_CONTACT_WEIGHTS * 9.81 * mass
        self._limit = np.array([force / mass] * 3 + [force / mass / max(radius, 1e-3)] * 3)
        self._correction = np.zeros(6)
        self._previous: tuple[Floats, Floats] | None = None

    def compensated_twist(self, pose: Floats, wanted: Floats, period: float) -> Floats:
        """Return the twist (6,) to command, such that the body moves with the wanted twist despite contacts.

        Args:
            pose: (7,) pose of the body in the world, before the step.
            wanted: (6,) wanted twist in the step, along the world's axes [m/s, rad/s].
            period: duration of a step [s].
        """
        if self._previous is not None:
            previous_pose, commanded = self._previous
            actual = (
                np.append(
                    pose[:3] - previous_pose[:3], rotation_vector(previous_pose[3:], pose[3:])
                )
                / period
            )
            limit = self._limit * period
            correction = self._correction + INTEGRAL_GAIN * (commanded - actual)
            self._correction = np.clip(correction, -limit, limit)
        self._previous = pose, wanted
        return wanted + self._correction


def _describe_hand(model: mj.MjModel, hand: MujocoHand) -> str:
    if not hand.joints:
        return f"{hand.name} holds by suction"
    ranges = [
        f"{model.joint(joint).name} {opened:.4g} to {closed:.4g}"
        for joint, opened, closed in zip(hand.joints, hand.opened, hand.closed, strict=True)
    ]
    return f"{hand.name} holds by its fingers (open to closed, from where they are): " + ", ".join(
        ranges
    )


def _qpos_addresses(model: mj.MjModel, *kinds: mj.mjtJoint) -> dict[str, int]:
    """Return the index of the position in `qpos`, by joint, of all joints of some kinds."""
    types = [int(kind.value) for kind in kinds]
    found = [j for j in range(model.njnt) if int(model.jnt_type[j]) in types]
    return {model.joint(j).name: int(model.jnt_qposadr[j]) for j in found}
