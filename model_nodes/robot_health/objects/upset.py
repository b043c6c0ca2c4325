"""Finds objects that fell, that toppled, and that are faster than their contacts explain."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.poses import rotation_matrix
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind
from model_nodes.robot_health.objects.states import ObjectStates, Purpose, Touches
from model_nodes.robot_health.settings import Scale

FALL_SPEED = 0.4
"""Minimum downward speed in a fall; a slower object was lowered [m/s]."""
LANDED_SPEED = 0.05
"""Maximum vertical speed of an object that has landed [m/s]."""
LANDED_NS = 250_000_000
"""Time for which an object must be slower than `LANDED_SPEED` to have landed [ns]."""
_LEFT = 0.01


class FallFinder:
    """Raises ``fell`` {object, height} [m] when an object is lower than when it last was at rest or held.

    It is raised once the object has landed or left the world. An object that a hand has lost always fell, regardless of
    height and speed.

    Args:
        scale: of the height [m].
        states: the objects.
        purpose: intended motions.
    """

    def __init__(self, scale: Scale, states: ObjectStates, purpose: Purpose) -> None:
        self._scale, self._states, self._purpose = scale, states, purpose
        count = len(states.ids)
        self._height = states.poses[:, 2].copy()
        self._from_ns = np.full(count, states.time_ns, np.int64)
        self._fastest = np.zeros(count)
        self._sinking_ns = np.full(count, states.time_ns, np.int64)

    def settle(self) -> None:
        """Restart from the state in which all objects were at rest or held."""
        states = self._states
        self._height = states.poses[:, 2].copy()
        self._fastest.fill(0.0)
        self._from_ns.fill(states.time_ns)
        self._sinking_ns.fill(states.time_ns)

    def update(self, gone: list[int]) -> list[Event]:
        """Judge the newest state.

        Args:
            gone: indices of the objects that have just left the world.
        """
        states = self._states
        now, heights, sinking = states.time_ns, states.poses[:, 2], -states.velocities[:, 2]
        self._sinking_ns[np.abs(sinking) > LANDED_SPEED] = now
        self._fastest = np.maximum(self._fastest, np.where(states.held, 0.0, sinking))
        depths, lost = self._height - heights, self._purpose.lost
        fallen = (depths >= self._scale.least) & (self._fastest > FALL_SPEED)
        if self._scale.warning is not None:
            fallen |= lost & (depths >= _LEFT)
        fallen &= ~states.held
        landed = fallen & (now - self._sinking_ns >= LANDED_NS)
        landed[gone] = fallen[gone]
        events = [e for i in np.flatnonzero(landed) for e in self._events(int(i))]
        settled = states.held | states.resting | landed
        self._height[settled] = heights[settled]
        self._fastest[settled] = 0.0
        self._from_ns[settled | (heights > self._height - _LEFT)] = now
        return events

    def _events(self, number: int) -> list[Event]:
        states = self._states
        height = float(self._height[number] - states.poses[number, 2])
        severity = self._purpose.judge(number, self._scale, height)
        if self._purpose.lost[number] and severity in (None, Severity.NOTE):
            severity = Severity.WARNING
        if severity is None:
            return []
        begun = int(self._from_ns[number])
        arguments: dict[str, Json] = {
            "object": states.entities[number].name,
            "height": height,
            "severity": severity.value,
            "from": begun / 1e9,
            "to": int(self._sinking_ns[number]) / 1e9,
        }
        return [Event("fell", begun, arguments=arguments)]


_ROUND = (ShapeKind.CYLINDER, ShapeKind.CAPSULE)
_PARALLEL = 0.999


def is_ball(shapes: Sequence[Shape]) -> bool:
    """Return whether the colliding shapes are spheres only, so that a rotation cannot be seen."""
    solid = [shape for shape in shapes if shape.collides]
    return bool(solid) and all(shape.kind is ShapeKind.SPHERE for shape in solid)


def round_axis(shapes: Sequence[Shape]) -> Floats | None:
    """Return (3,) axis of rotational symmetry of all colliding shapes, in the entity's frame; None without one."""
    solid = [shape for shape in shapes if shape.collides]
    if not solid or any(shape.kind not in _ROUND for shape in solid):
        return None
    axes = np.array([rotation_matrix(shape.pose[3:7])[:, 2] for shape in solid])
    first: Floats = axes[0]
    return first if bool((np.abs(axes @ first) > _PARALLEL).all()) else None


class TopplingFinder:
    """Raises ``toppled`` {object, angle} [rad] when an object tilts from its orientation at the last rest or hold.

    Balls cannot topple; rotationally symmetric objects topple by tilting their axis, not by rolling.

    Args:
        scale: of the tilt [deg].
        states: the objects.
        purpose: intended motions.
    """

    def __init__(self, scale: Scale, states: ObjectStates, purpose: Purpose) -> None:
        self._scale, self._states, self._purpose = scale, states, purpose
        axes = [round_axis(entity.shapes) for entity in states.entities]
        self._round = np.array([axis is not None for axis in axes], np.bool_)
        self._axes = np.array([np.zeros(3) if a is None else a for a in axes]).reshape(-1, 3)
        self._can = np.array([not is_ball(entity.shapes) for entity in states.entities], np.bool_)
        self._upright = states.up.copy()
        self._toppled = np.zeros(len(states.ids), np.bool_)

    def settle(self) -> None:
        """Restart from the state in which all objects were at rest or held."""
        self._upright = self._states.up.copy()
        self._toppled.fill(False)

    def update(self) -> list[Event]:
        """Judge the newest state."""
        states = self._states
        angles = self._angles()
        tilted = self._can & ~states.held & (angles >= math.radians(self._scale.least))
        new = np.flatnonzero(tilted & ~self._toppled)
        self._toppled |= tilted
        settled = states.held | states.resting
        self._upright[settled] = states.up[settled]
        self._toppled[settled] = False
        return [e for i in new for e in self._events(int(i), float(angles[i]))]

    def _angles(self) -> Floats:
        """Return (k,) tilts from the reference orientations [rad]."""
        now, before = self._states.up, self._upright
        free = _between(now, before)
        if not self._round.any():
            return free
        rolled = np.abs(_between(now, self._axes) - _between(before, self._axes))
        return np.where(self._round, rolled, free)

    def _events(self, number: int, angle: float) -> list[Event]:
        states = self._states
        severity = self._purpose.judge(number, self._scale, math.degrees(angle))
        if severity is None:
            return []
        arguments: dict[str, Json] = {
            "object": states.entities[number].name,
            "angle": angle,
            "severity": severity.value,
            "from": int(states.rested_ns[number]) / 1e9,
            "to": states.time_ns / 1e9,
        }
        return [Event("toppled", states.time_ns, arguments=arguments)]


def _between(a: Floats, b: Floats) -> Floats:
    """Return (n,) angles between the unit vectors in the rows [rad]."""
    angles: Floats = np.arccos(np.clip(np.einsum("ij,ij->i", a, b), -1.0, 1.0))
    return angles


GRAVITY = 9.81
FACTOR = 1.3
"""Maximum ratio of an object's speed to the explained speed."""
IMPACT = 1.5
"""Maximum ratio of an object's speed to that of the body that struck it: 1 without a bounce, 2 for a lossless
bounce."""


class FlingFinder:
    """Raises ``flung`` {object, speed, explained} [m/s], and again if it becomes worse.

    Keeps for each object the specific kinetic energy that is explained, and the height to which that refers. Touching
    bodies can add energy, falling adds to it, and contact with resting bodies only reduces it.

    Args:
        scale: of the speed beyond `FACTOR` times the explained one [m/s].
        states: the objects.
        touches: pairs of near entities.
        purpose: intended motions.
    """

    def __init__(
        self, scale: Scale, states: ObjectStates, touches: Touches, purpose: Purpose
    ) -> None:
        self._scale, self._states, self._touches = scale, states, touches
        self._purpose = purpose
        self._energy = np.zeros(len(states.ids))
        self._height = states.centres[:, 2].copy()
        self._flung: dict[
            int, tuple[int, int]
        ] = {}  # object: since when [ns], and rank of the severity

    def settle(self) -> None:
        """Restart from the state in which all objects were at rest or held."""
        states = self._states
        speeds = np.where(states.held | states.was_held, states.speeds, 0.0)
        self._energy = 0.5 * (IMPACT * speeds) ** 2
        self._height = states.centres[:, 2].copy()
        self._flung.clear()

    def update(self) -> list[Event]:
        """Judge the newest state."""
        states = self._states
        self._meet(self._given())
        fallen = np.maximum(self._height - states.centres[:, 2], 0.0)
        explained = np.sqrt(2.0 * (self._energy + GRAVITY * fallen))
        beyond = np.where(states.held, 0.0, states.speeds - FACTOR * explained)
        for number in [n for n in self._flung if states.resting[n] or states.held[n]]:
            del self._flung[number]
        events: list[Event] = []
        for number in np.flatnonzero(beyond >= self._scale.least).tolist():
            events += self._events(number, float(beyond[number]), float(explained[number]))
        return events

    def _given(self) -> Floats:
        """Return (k,) kinetic energy per mass that touching bodies can give an object [J/kg]; NaN if none touch it."""
        states, touches = self._states, self._touches
        speeds = np.full(len(states.ids), -1.0)
        np.maximum.at(speeds, touches.objects, touches.speeds())
        if not touches.seen.all():
            speeds[~touches.seen] = touches.fastest_link()
        speeds[states.held] = np.maximum(states.speeds, speeds)[states.held]
        speeds[states.resting] = np.maximum(speeds, 0.0)[states.resting]
        given: Floats = np.where(speeds < 0.0, np.nan, 0.5 * (IMPACT * speeds) ** 2)
        return given

    def _meet(self, given: Floats) -> None:
        """Update the explained energies of the objects that are touched."""
        states = self._states
        heights, touched = states.centres[:, 2], ~np.isnan(given)
        fallen = np.maximum(self._height - heights, 0.0)
        kept = np.minimum(self._energy + GRAVITY * fallen, 0.5 * states.speeds**2)
        self._energy = np.where(touched, np.fmax(given, kept), self._energy)
        self._height = np.where(touched, heights, np.maximum(self._height, heights))

    def _events(self, number: int, beyond: float, explained: float) -> list[Event]:
        severity = self._purpose.judge(number, self._scale, beyond)
        now = self._states.time_ns
        since_ns, rank = self._flung.get(number, (now, -1))
        if severity is None or severity.rank <= rank:
            return []
        self._flung[number] = (since_ns, severity.rank)
        arguments: dict[str, Json] = {
            "object": self._states.entities[number].name,
            "speed": float(self._states.speeds[number]),
            "explained": explained,
            "severity": severity.value,
            "from": since_ns / 1e9,
            "to": now / 1e9,
        }
        return [Event("flung", now, arguments=arguments)]
