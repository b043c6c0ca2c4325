"""Keeps held objects in the hand, in a MuJoCo world that somebody else steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar
from weakref import WeakValueDictionary

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Model
from hetwin_core.ensemble.scene.poses import conjugate, cross, rotate
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite._grasp.grip import Grip
from hetwin_suite._grasp.hand import body_name, find_hand
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.sdf.reader import read_world

NEAR = 0.005
"""Time between two looks at a hand while something is near it [s]."""
FAR = 0.02
"""Time between two looks at a hand while nothing is near it [s]."""
HEAVIER = 10.0
"""A held object has so many times its inertia more against bodies that touch it, but not for the hand: soft contacts of
light things give way to the fingers."""
_SHARE = 0.2
"""This share of the force that was lacking in a step acts on the object from the next step on."""


class Hold:
    """Holds the object that a hand of a MuJoCo world has grasped; call it after each step.

    While the fingers hold an object, its velocity is set after each step so that it follows the hand. The force that
    this takes acts on the hand in return, so that the object keeps its weight, pushes and is pushed. When the fingers
    open, the object goes on with the velocity that it has. Of two hands around one object the first carries it, then
    the other. A hand without finger joints holds by suction, see `suck`. Nothing is held when time jumps back, as at a
    reset.

    Args:
        model, data: of one world; batches of worlds are not supported.
        hand: name of the body that the fingers start from, or of a suction cup.
        fingers: joint -> its positions in the open and the closed hand [m or rad], if shapes do not show them.
        objects: names or patterns of the bodies with a free joint that may be held.
        carried_by: the model that carries them; by default they are fixed to the hand's body.
        listener: called with each event: `grip_closed` and `grip_lost`, with `object`.

    Raises:
        BadInput: if the hand or the objects are not there, or the ends of the finger joints are not known.
    """

    _carriers: ClassVar[WeakValueDictionary[tuple[int, int], Hold]] = WeakValueDictionary()
    """Which of several hands carries an object, by the world's data and the body."""

    def __init__(
        self,
        model: mj.MjModel,
        data: mj.MjData,
        hand: str,
        *,
        fingers: Mapping[str, tuple[float, float]] | None = None,
        objects: Sequence[str] = ("*",),
        carried_by: Model | None = None,
        listener: Callable[[Event], None] = lambda _event: None,
    ) -> None:
        if not (isinstance(model, mj.MjModel) and isinstance(data, mj.MjData)):
            raise BadInput(
                "these are not model and data of a single world",
                where="Hold",
                found=f"{type(model).__name__}, {type(data).__name__}",
                expected="mujoco.MjModel and mujoco.MjData; batches of worlds are not supported",
            )
        mj.mj_forward(model, data)
        found = find_hand(model, hand, fingers or {})
        self._model, self._data, self._palm = model, data, found.bodies[0]
        self._grip = Grip(model, data, found, objects, carried_by, listener)
        self._applied: dict[int, tuple[Floats, Floats]] = {}
        self._heavy, self._enabled = 0, True
        self._last = self._due = data.time

    @property
    def held(self) -> str:
        """Name of the body that is held; empty: none."""
        return body_name(self._model, self._grip.held) if self._grip.held else ""

    def suck(self, on: bool) -> None:
        """Switch the suction of a hand without fingers: it takes a touched object, and keeps it until it is off."""
        self._grip.sucks, self._due = on, self._data.time

    def enable(self, on: bool) -> None:
        """Let go and hold nothing, or hold again the object in the hand's grip."""
        self._enabled, self._due = on, self._data.time
        if not on:
            self._grip.restart()
            self._changed()

    def __call__(self, *_: object) -> None:
        """Go on after a step of the world; the arguments of a callback do not matter."""
        now = self._data.time
        if now < self._last:
            self._applied.clear()
            self._grip.restart()
            self._changed()
            self._due = self._last = now
        step, self._last = now - self._last, now
        if self._heavy and step > 0.0:
            self._follow(step)
        if now >= self._due and self._enabled:
            self._due = now + (NEAR if self._grip.look() else FAR)
            if self._grip.held != self._heavy:
                self._changed()

    def _changed(self) -> None:
        """Another object, or none, is held than before."""
        if self._heavy:
            if self._carriers.get((id(self._data), self._heavy)) is self:
                del self._carriers[id(self._data), self._heavy]
            self._load(self._heavy, -HEAVIER)
            self._push(self._heavy, np.zeros(6))
            self._push(self._palm, np.zeros(6))
        self._heavy = self._grip.held
        if self._heavy:
            self._load(self._heavy, HEAVIER)
            self._grip.follow(0.0)
            self._lacking, self._gained, self._twist = np.zeros(6), np.zeros(6), np.full(6, np.nan)

    def _load(self, body: int, times: float) -> None:
        """Add so many times its inertia to the joint of an object; MuJoCo has it twice."""
        model, dofs = self._model, slice(self._model.body_dofadr[body], None)
        more = times * np.append(np.full(3, model.body_subtreemass[body]), model.body_inertia[body])
        model.dof_armature[dofs][:6] += more
        model.dof_M0[dofs][:6] += more

    def _follow(self, step: float) -> None:
        """Set the velocity of the held object, so that it comes to its place."""
        model, data, body = self._model, self._data, self._heavy
        mj.mj_kinematics(model, data)
        twist, wanted = self._grip.follow(step)
        if self._carriers.setdefault((id(data), body), self) is not self:
            return
        quaternion = data.xquat[body].tolist()
        moving = data.qvel[model.body_dofadr[body] :][:6]
        is_now = np.append(moving[:3], rotate(quaternion, moving[3:].tolist()))
        moving[:3], moving[3:] = wanted[:3], rotate(conjugate(quaternion), wanted[3:].tolist())
        gained = np.nan_to_num(twist - self._twist) / step
        self._twist, self._gained = twist, self._gained + _SHARE * (gained - self._gained)
        self._lacking += _SHARE * (1.0 + HEAVIER) / step * self._momentum(body, wanted - is_now)
        self._push(body, self._lacking)
        force = HEAVIER * self._momentum(body, self._gained) - self._lacking
        arm = data.xipos[body] - data.xipos[self._palm]
        force[3:] += cross(arm.tolist(), force[:3].tolist())
        self._push(self._palm, force)

    def _momentum(self, body: int, twist: Floats) -> Floats:
        """(6,) of a body that moves with a twist of its frame, about its centre of mass."""
        model, axes = self._model, self._data.ximat[body].reshape(3, 3)
        arm = self._data.xipos[body] - self._data.xpos[body]
        linear = twist[:3] + cross(twist[3:].tolist(), arm.tolist())
        turning = axes @ (model.body_inertia[body] * (axes.T @ twist[3:]))
        return np.append(model.body_subtreemass[body] * linear, turning)

    def _push(self, body: int, wrench: Floats) -> None:
        """Apply a wrench at the centre of a body instead of the last one; wrenches of others stay."""
        applied = self._data.xfrc_applied[body]
        own, left = self._applied.pop(body, (wrench, None))
        others = applied.copy() if left is None or (applied != left).any() else applied - own
        applied[:] = others + wrench
        if wrench.any():
            self._applied[body] = wrench.copy(), applied.copy()


def mirror_of(sdf: str) -> mj.MjModel:
    """Return a world that is written as SDFormat; bodies and joints of models are named ``model::name``.

    Raises:
        BadInput: if it cannot be read.
    """
    notes = Notes()
    with TemporaryDirectory() as folder:
        file = Path(folder, "world.sdf")
        file.write_text(sdf, "utf-8")
        world = read_world(file, notes)
    return Builder(world, EngineSettings(0.001), notes).compile()
