"""Keeps grasped objects in the hand, in a MuJoCo world that the caller steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar
from weakref import WeakValueDictionary

import mujoco as mj
import numpy as np

from hetwin_grasp.grip import Grip
from hetwin_grasp.hand import body_name, find_hand
from hetwin_suite.engine import Builder, EngineSettings, Notes, read_world
from hetwin_suite.model import BadInput, Event, Floats, Model, conjugate, cross, rotate

NEAR_PERIOD_S = 0.005
"""Interval at which the hand is checked while an object is near [s]."""
FAR_PERIOD_S = 0.02
"""Interval at which the hand is checked while no object is near [s]."""
ADDED_INERTIA = 10.0
"""Inertia added to a held object, as a multiple of its own. Without it, the fingers
would sink into a light object, whose contacts are soft. The hand does not feel the addition."""
_FORCE_GAIN = 0.2
"""Fraction of a step's missing force that is added to the force on the object from the next step on."""


class Hold:
    """Holds the object that a hand of a MuJoCo world has grasped; call it after each step.

    While the fingers hold an object, its velocity is set after each step so that it follows the hand. The reaction
    force acts on the hand, so that the hand feels the object's weight and its contacts. When the fingers open, the
    object keeps its current velocity. If two hands grasp one object, the first one carries it until it opens, then the
    other does. A hand without finger joints holds by suction, see `suck`. If time jumps back, as at a reset, the object
    is let go.

    Args:
        model, data: a single world; batches of worlds are not supported.
        hand: name of the hand's base body, to which the fingers are attached, or of a suction cup.
        fingers: joint -> its positions in the open and the closed hand [m or rad]; needed if they cannot be derived
            from shapes and joint limits.
        objects: names or patterns of the bodies with a free joint that may be held.
        carried_by: the model that computes the pose of a held object; by default it is fixed to the hand's body.
        listener: called with each event: `grip_closed` and `grip_lost`, with `object`.

    Raises:
        BadInput: if the hand or the objects do not exist, or the open and closed finger positions are unknown.
    """

    _carriers: ClassVar[WeakValueDictionary[tuple[int, int], Hold]] = WeakValueDictionary()
    """(id of the world's data, body) -> the hand that carries the body, if several hands hold it."""

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
        self._loaded, self._enabled = 0, True
        self._last = self._due = data.time

    @property
    def held(self) -> str:
        """Name of the held body; empty: none."""
        return body_name(self._model, self._grip.held) if self._grip.held else ""

    def suck(self, on: bool) -> None:
        """Switch the suction of a hand without fingers. While it is on, the hand takes and keeps a touched object."""
        self._grip.suction_on, self._due = on, self._data.time

    def enable(self, on: bool) -> None:
        """Enable or disable holding; disabling lets go of the held object."""
        self._enabled, self._due = on, self._data.time
        if not on:
            self._grip.restart()
            self._switch_load()

    def __call__(self, *_: object) -> None:
        """Update after a step of the world; arguments, as of a MuJoCo callback, are ignored."""
        now = self._data.time
        if now < self._last:
            self._applied.clear()
            self._grip.restart()
            self._switch_load()
            self._due = self._last = now
        step, self._last = now - self._last, now
        if self._loaded and step > 0.0:
            self._follow(step)
        if now >= self._due and self._enabled:
            self._due = now + (NEAR_PERIOD_S if self._grip.update() else FAR_PERIOD_S)
            if self._grip.held != self._loaded:
                self._switch_load()

    def _switch_load(self) -> None:
        """Move the added inertia and the forces from the previously held object to the current one."""
        if self._loaded:
            if self._carriers.get((id(self._data), self._loaded)) is self:
                del self._carriers[id(self._data), self._loaded]
            self._add_inertia(self._loaded, -ADDED_INERTIA)
            self._set_wrench(self._loaded, np.zeros(6))
            self._set_wrench(self._palm, np.zeros(6))
        self._loaded = self._grip.held
        if self._loaded:
            self._add_inertia(self._loaded, ADDED_INERTIA)
            self._grip.follow(0.0)
            self._missing_force, self._acceleration = np.zeros(6), np.zeros(6)
            self._twist = np.full(6, np.nan)

    def _add_inertia(self, body: int, factor: float) -> None:
        """Add a multiple of an object's inertia to its free joint; MuJoCo stores the inertia in two arrays."""
        model, dofs = self._model, slice(self._model.body_dofadr[body], None)
        addition = factor * np.append(
            np.full(3, model.body_subtreemass[body]), model.body_inertia[body]
        )
        model.dof_armature[dofs][:6] += addition
        model.dof_M0[dofs][:6] += addition

    def _follow(self, step: float) -> None:
        """Set the velocity of the held object so that it follows its target pose."""
        model, data, body = self._model, self._data, self._loaded
        mj.mj_kinematics(model, data)
        twist, desired_twist = self._grip.follow(step)
        if self._carriers.setdefault((id(data), body), self) is not self:
            return
        quaternion = data.xquat[body].tolist()
        velocity = data.qvel[model.body_dofadr[body] :][:6]
        current_twist = np.append(velocity[:3], rotate(quaternion, velocity[3:].tolist()))
        velocity[:3] = desired_twist[:3]
        velocity[3:] = rotate(conjugate(quaternion), desired_twist[3:].tolist())
        acceleration = np.nan_to_num(twist - self._twist) / step
        self._acceleration += _FORCE_GAIN * (acceleration - self._acceleration)
        self._twist, error = twist, desired_twist - current_twist
        gain = _FORCE_GAIN * (1.0 + ADDED_INERTIA) / step
        self._missing_force += gain * self._momentum(body, error)
        self._set_wrench(body, self._missing_force)
        force = ADDED_INERTIA * self._momentum(body, self._acceleration) - self._missing_force
        arm = data.xipos[body] - data.xipos[self._palm]
        force[3:] += cross(arm.tolist(), force[:3].tolist())
        self._set_wrench(self._palm, force)

    def _momentum(self, body: int, twist: Floats) -> Floats:
        """(6,) linear and angular momentum of a body about its centre of mass.

        Args:
            body: id of the body.
            twist: (6,) of the body's frame, in the world frame [m/s, rad/s].
        """
        model, axes = self._model, self._data.ximat[body].reshape(3, 3)
        arm = self._data.xipos[body] - self._data.xpos[body]
        linear = twist[:3] + cross(twist[3:].tolist(), arm.tolist())
        angular = axes @ (model.body_inertia[body] * (axes.T @ twist[3:]))
        return np.append(model.body_subtreemass[body] * linear, angular)

    def _set_wrench(self, body: int, wrench: Floats) -> None:
        """Replace the wrench that this object last applied at a body's centre of mass; other wrenches stay."""
        applied = self._data.xfrc_applied[body]
        own_wrench, last = self._applied.pop(body, (wrench, None))
        others = applied.copy() if last is None or (applied != last).any() else applied - own_wrench
        applied[:] = others + wrench
        if wrench.any():
            self._applied[body] = wrench.copy(), applied.copy()


def mujoco_model_of(sdf: str) -> mj.MjModel:
    """Build the MuJoCo model of an SDFormat world; bodies and joints are named ``model::name``.

    Raises:
        BadInput: if the SDFormat text is invalid.
    """
    notes = Notes()
    with TemporaryDirectory() as folder:
        file = Path(folder, "world.sdf")
        file.write_text(sdf, "utf-8")
        world = read_world(file, notes)
    return Builder(world, EngineSettings(0.001), notes).compile()
