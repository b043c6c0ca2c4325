"""Holds what a hand has grasped in a world that Gazebo steps: decided in a mirror of it, carried by velocities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Protocol

import mujoco as mj
import numpy as np

from hetwin_suite.engine import rotation_vector
from hetwin_suite.grasp import FAR, NEAR, Grip, MujocoHand, find_hand, mirror_of
from hetwin_suite.model import BadInput, Event, Floats, one_of

SHARE = 0.2
"""Share of the velocity that contacts took from the held object in a step by which the next steps are faster."""
STRONGEST, WEIGHTS = 100.0, 2.0
"""Force against contacts is limited to this [N], plus this many weights of the object."""


class UserWorld(Protocol):
    """What is asked of the world. Links and joints of models are named ``model::name``, free models by their names."""

    def sdf(self) -> str:
        """The world as SDFormat, as it is now, with all models that were added since it began."""

    def positions(self, joints: Iterable[str]) -> Mapping[str, float]:
        """Positions of joints [m or rad]."""

    def pose(self, name: str) -> Floats:
        """(7,) of a link, or of the root link of a model that is named, in the world."""

    def move(self, model: str, twist: Floats) -> None:
        """Set (6,) the velocity of a model's root link for the next step, along the world's axes [m/s and rad/s]."""


@dataclass(frozen=True)
class Wishes:
    """What the user has written in the plugin's element.

    Attributes:
        hand: link that the fingers start from, or that sucks.
        objects: names of models that may be held, or patterns of them.
        largest: radius of a sphere around the shapes of what may be held [m].
        fingers: joint -> its positions in the open and the closed hand, if shapes and limits do not show them.
    """

    hand: str
    objects: Sequence[str] = ("*",)
    largest: float = 0.5
    fingers: Mapping[str, tuple[float, float]] = field(default_factory=dict)


class Holding:
    """One hand of a world.

    Args:
        world: that Gazebo steps.
        wishes: of its user.
        listener: called with `grip_closed` and `grip_lost`.

    Attributes:
        description: what holds what, in words.

    Raises:
        BadInput: if the hand, its joints or the objects are not in the world.
    """

    def __init__(self, world: UserWorld, wishes: Wishes, listener: Callable[[Event], None]) -> None:
        self._world, self._listener = world, listener
        self._model = model = mirror_of(world.sdf())
        self._data = mj.MjData(model)
        self._joints = _places(model, mj.mjtJoint.mjJNT_SLIDE, mj.mjtJoint.mjJNT_HINGE)
        self._free = {
            model.body(int(model.jnt_bodyid[model.joint(name).id])).name: place
            for name, place in _places(model, mj.mjtJoint.mjJNT_FREE).items()
        }
        self._zeros = self._found_zeros()
        for name, zero in self._zeros.items():
            model.jnt_range[model.joint(name).id] -= zero
        hand = self._hand(wishes)
        chosen = self._chosen(wishes)
        self._grip = Grip(model, self._data, hand, chosen, None, listener)
        self._only_read(int(model.body_rootid[hand.bodies[0]]), chosen)
        self.description = _described(model, hand)
        things = [name for name in self._free if name not in self._base]
        if shapeless := [name for name in things if not self._has_shape(name)]:
            self.description += f", and never {', '.join(shapeless)}: no shape that hetwin reads"
        self._held, self._due, self._last = 0, 0.0, 0.0
        self._hand_twist = np.zeros(6)
        self._push = Push()

    @property
    def held(self) -> str:
        """Name of the model that is held; empty: none."""
        return str(self._model.body(self._held).name) if self._held else ""

    def suck(self, on: bool) -> None:
        """Switch the suction of a hand without fingers."""
        self._grip.sucks, self._due = on, 0.0

    def let_go(self) -> None:
        """Let go, and begin anew; the listener is told what was held."""
        self._free_what_is_held()
        lost, self._held = self.held, 0
        self._grip.restart()
        if lost:
            now_ns = round(self._last * 1e9)
            self._listener(Event("grip_lost", now_ns, arguments={"object": lost, "opened": False}))

    def step(self, seconds: float) -> None:
        """Prepare the world's next step, at a time of the world."""
        period, self._last = seconds - self._last, seconds
        if not self._held and seconds < self._due:
            return
        self._data.time = seconds
        looks = seconds >= self._due
        self._update(self._free if looks else [*self._base, self.held])
        if self._held and period > 0.0:
            self._hand_twist, wanted = self._grip.follow(period)
            pose = np.append(self._data.xpos[self._held], self._data.xquat[self._held])
            self._world.move(self.held, self._push.against_contacts(pose, wanted, period))
        if looks:
            self._due = seconds + (NEAR if self._grip.look() else FAR)
            if self._grip.held != self._held:
                self._free_what_is_held()
                self._held = self._grip.held
                if self._held:
                    self._grip.follow(0.0)
                    self._push = Push(self._mass(self.held), self._size(self.held))

    def _free_what_is_held(self) -> None:
        """It goes on with the velocity of its place in the hand, without what brought it there."""
        if self._held:
            self._world.move(self.held, self._hand_twist)

    def _only_read(self, robot: int, objects: Iterable[str]) -> None:
        """Read no more of the world than the joints and the base of the robot, and what it may hold."""
        model = self._model
        self._joints = {
            name: place
            for name, place in self._joints.items()
            if model.body_rootid[model.jnt_bodyid[model.joint(name).id]] == robot
        }
        self._base = [name for name in self._free if model.body(name).id == robot]
        wanted = {*objects, *self._base}
        self._free = {name: place for name, place in self._free.items() if name in wanted}

    def _update(self, free: Iterable[str]) -> None:
        at = self._data.qpos
        for name, position in self._world.positions(self._joints).items():
            at[self._joints[name]] = position - self._zeros[name]
        for name in free:
            place = self._free[name]
            at[place : place + 7] = self._world.pose(name)
        mj.mj_kinematics(self._model, self._data)

    def _found_zeros(self) -> dict[str, float]:
        """Joint -> its position where the SDFormat has its link: that at the world's begin, or the present one."""
        begin = dict.fromkeys(self._joints, 0.0)
        present = dict(self._world.positions(self._joints))
        return min(begin, present, key=self._deviation)

    def _deviation(self, zeros: dict[str, float]) -> float:
        """By how much links that joints move are elsewhere than in the world [m and rad]."""
        self._zeros = zeros
        self._update(self._free)
        worst = 0.0
        for name in self._joints:
            body = int(self._model.jnt_bodyid[self._model.joint(name).id])
            there = self._world.pose(self._model.body(body).name)
            here = np.append(self._data.xpos[body], self._data.xquat[body])
            away = np.abs(here[:3] - there[:3]).max() + 1.0 - abs(float(here[3:] @ there[3:]))
            worst = max(worst, float(away))
        return worst

    def _hand(self, wishes: Wishes) -> MujocoHand:
        names = [self._model.body(body).name for body in range(1, self._model.nbody)]
        found = [n for n in names if n == wishes.hand or n.endswith(f"::{wishes.hand}")]
        if len(found) != 1:
            raise BadInput(
                "several links have this name" if found else "no link has this name",
                where="hand",
                found=wishes.hand,
                expected=", ".join(found) or one_of(wishes.hand, names),
            )
        model = found[0].rpartition("::")[0]
        fingers = {}
        for joint, (opened, closed) in wishes.fingers.items():
            name = joint if "::" in joint else f"{model}::{joint}"
            zero = self._zeros.get(name, 0.0)
            fingers[name] = opened - zero, closed - zero
        return find_hand(self._model, found[0], fingers)

    def _chosen(self, wishes: Wishes) -> list[str]:
        """The free models that may be held."""
        named = [n for n in self._free if any(fnmatchcase(n, one) for one in wishes.objects)]
        return [name for name in named if self._size(name) <= wishes.largest] or [*wishes.objects]

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


class Push:
    """Makes up for the velocity that gravity and contacts take from a body whose velocity is set before each step.

    Fingers that squeeze a light body out of a grip change its velocity in each step by more than the servo corrects.

    Args:
        mass: of the body [kg].
        radius: of a sphere around it [m].
    """

    def __init__(self, mass: float = 1.0, radius: float = 0.0) -> None:
        force = STRONGEST + WEIGHTS * 9.81 * mass
        self._limit = np.array([force / mass] * 3 + [force / mass / max(radius, 1e-3)] * 3)
        self._lacking = np.zeros(6)
        self._before: tuple[Floats, Floats] | None = None

    def against_contacts(self, pose: Floats, wanted: Floats, period: float) -> Floats:
        """Return the twist to set, such that the body moves as wanted in spite of its contacts.

        Args:
            pose: (7,) of the body, in the world, before the step.
            wanted: (6,) twist that it shall have in the step, along the world's axes [m/s, rad/s].
            period: of a step [s].
        """
        if self._before is not None:
            was, asked = self._before
            moved = np.append(pose[:3] - was[:3], rotation_vector(was[3:], pose[3:])) / period
            limit = self._limit * period
            lacking = self._lacking + SHARE * (asked - moved)
            self._lacking = np.clip(lacking, -limit, limit)
        self._before = pose, wanted
        return wanted + self._lacking


def _described(model: mj.MjModel, hand: MujocoHand) -> str:
    if not hand.joints:
        return f"{hand.name} holds by suction"
    ends = [
        f"{model.joint(joint).name} {opened:.4g} to {closed:.4g}"
        for joint, opened, closed in zip(hand.joints, hand.opened, hand.closed, strict=True)
    ]
    return f"{hand.name} holds by its fingers (open to closed, from where they are): " + ", ".join(
        ends
    )


def _places(model: mj.MjModel, *kinds: mj.mjtJoint) -> dict[str, int]:
    """Joint of these kinds -> where its position begins."""
    wanted = [int(kind.value) for kind in kinds]
    found = [j for j in range(model.njnt) if int(model.jnt_type[j]) in wanted]
    return {model.joint(j).name: int(model.jnt_qposadr[j]) for j in found}
