"""Tracks one object from its believed pose into the hand, and out of it."""

from __future__ import annotations

from enum import Enum

import numpy as np

from hetwin_core.ensemble.scene.poses import compose, extrapolate, relative_to
from hetwin_core.ensemble.scene.rotations import rotation_matrix
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import WORLD, Floats, Value
from model_nodes.hand_motion import HandMotion
from model_nodes.in_hand_localization.carrying import ARM_M, carried, opposed
from model_nodes.in_hand_localization.finger_torques import FingerTorques
from model_nodes.in_hand_localization.hand_surface import HandSurface, PlacedHand
from model_nodes.in_hand_localization.object_geometry import ObjectGeometry
from model_nodes.in_hand_localization.pose_filter import Noise, PoseFilter, Touch
from model_nodes.in_hand_localization.settings import Settings

_GRAVITY = np.array((0.0, 0.0, -9.81))
_OPPOSED = -0.3
"""Two fingers hold an object between them if the cosine of their normals is below this."""
_OVERLAP_NOISE_M = 0.001
_JUST_NOW_NS = 60_000_000


class Phase(Enum):
    """The state of the object's motion."""

    RESTING = "resting"
    """It is at rest; fingers may push it."""
    HELD = "held"
    """It moves with the hand and the fingers."""
    FLYING = "flying"
    """The fingers have released it; it falls."""


class Localizer:
    """The pose of one object.

    Args:
        hand: name of the hand.
        surface: of the hand's links.
        torques: of the fingers.
        form: of the object.
        limits: the model's parameters.
    """

    def __init__(
        self,
        hand: str,
        surface: HandSurface,
        torques: FingerTorques,
        form: ObjectGeometry,
        limits: Settings,
    ) -> None:
        self._hand = hand
        self._surface = surface
        self._torques = torques
        self._limits = limits
        noise = Noise(
            limits.contact_noise,
            limits.contact_offset,
            limits.contact_depth,
            _OVERLAP_NOISE_M,
        )
        self._filter = PoseFilter(form, noise, surface)
        window = round(limits.velocity_window * 1e9)
        self._hand_motion, self._motion_in_hand = HandMotion(window), HandMotion(window)

    def begin(self, scene: Snapshot, pose: Floats) -> None:
        """Start with the object believed at `pose` (13,) in the world, at rest."""
        self.phase = Phase.RESTING
        self.release_ns = -1
        self._world = pose.copy()
        self._world[7:] = 0.0
        self._time_ns = scene.time_ns
        self._last_held_ns = self._last_pushed_ns = scene.time_ns
        self._placed: PlacedHand | None = None
        self._touching: dict[int, Touch] = {}
        self._hand_motion.clear()
        self._motion_in_hand.clear()
        self._last_move = np.zeros(6)
        self._sum_of_moves = np.zeros(13)
        self._sum_of_moves[3] = 1.0
        hand = scene.pose(self._hand)
        self._hand_motion.add(scene.time_ns, hand)
        self._filter.reset(relative_to(hand, pose), self._prior(hand, pose))

    def _prior(self, hand: Floats, pose: Floats) -> Floats:
        limits = self._limits
        sideways, height = limits.prior_position, limits.prior_height
        turn = rotation_matrix(hand[3:7])
        prior = np.zeros((6, 6))
        prior[:3, :3] = turn.T @ np.diag(np.square([sideways, sideways, height])) @ turn
        # In the object's axes; isotropic, so the axes do not matter.
        prior[3:, 3:] = np.eye(3) * np.radians(limits.prior_rotation) ** 2
        return prior

    def step(self, scene: Snapshot) -> None:
        """Advance to the scene's time."""
        hand = scene.pose(self._hand)
        placed = self._surface.place(scene)
        self._hand_motion.add(scene.time_ns, hand)
        self._torques.update(scene)
        self._predict(scene.time_ns, hand, placed)
        moved = self._correct(placed)
        self._choose_phase(scene.time_ns, hand, moved)
        self._placed, self._time_ns = placed, scene.time_ns

    def value(self, time_ns: int) -> Value:
        """Return the pose: in the hand's frame while the object is held, else in the world."""
        if self.phase is Phase.HELD:
            return Value(self._pose_in_hand(self._last_move), time_ns, self._hand)
        return Value(self._world.copy(), time_ns, WORLD)

    def released(self, scene: Snapshot) -> Value:
        """Return pose and twist in the world at the scene's time."""
        if self.phase is Phase.HELD:
            hand = scene.pose(self._hand)
            self._hand_motion.add(scene.time_ns, hand)
            return Value(self._moving(hand), scene.time_ns)
        if self.phase is Phase.FLYING:
            return Value(_fall(self._world, (scene.time_ns - self._time_ns) * 1e-9), scene.time_ns)
        return Value(self._world.copy(), scene.time_ns)

    def covariance(self) -> Floats:
        """Return (6, 6) covariance of position [m] and rotation [rad] in the hand's axes."""
        return self._filter.pose_covariance()

    def _pose_in_hand(self, twist: Floats) -> Floats:
        return np.concatenate([self._filter.position, self._filter.quaternion, twist])

    def _moving(self, hand: Floats) -> Floats:
        """Return (13,) pose and twist of the held object in the world."""
        moving = np.concatenate([hand[:7], self._hand_motion.twist()])
        return compose(moving, self._pose_in_hand(self._motion_in_hand.twist()))

    def _predict(self, time_ns: int, hand: Floats, placed: PlacedHand) -> None:
        seconds = (time_ns - self._time_ns) * 1e-9
        if self.phase is Phase.HELD and self._placed is not None:
            # A finger that has just begun to open does not carry the object.
            pushing = self._torques.pushing
            touches = [t for finger, t in self._touching.items() if pushing[finger]]
            move, turn = carried(touches, self._placed, placed, self._filter.position)
            self._filter.carry(move, turn)
            self._filter.drift(seconds, self._drift(seconds, move, turn))
            self._add_move(time_ns, seconds, np.concatenate([move, turn]))
            return
        if self.phase is Phase.FLYING:
            self._world = _fall(self._world, seconds)
        elif self._touching and self._placed is not None:
            self._filter.drift(seconds, self._pushed(self._placed, placed))
        pose = relative_to(hand, self._world)
        self._filter.move_frame(pose[:3], pose[3:7])

    def _drift(self, seconds: float, move: Floats, turn: Floats) -> Floats:
        limits = self._limits
        root, slip = np.sqrt(max(seconds, 0.0)), limits.slip
        position = root * limits.drift_position + slip * float(np.linalg.norm(move))
        rotation = root * np.radians(limits.drift_rotation) + slip * float(np.linalg.norm(turn))
        return np.array([position] * 3 + [rotation] * 3)

    def _pushed(self, before: PlacedHand, now: PlacedHand) -> Floats:
        """Return (6,) standard deviations of the displacement of an object that fingers push but do not hold."""
        links = {touch.link for touch in self._touching.values()}
        mine = np.isin(self._surface.link_of, list(links))
        ways = now.centres[mine] - before.centres[mine]
        moved = float(np.linalg.norm(ways, axis=1).max())
        return np.array([moved] * 3 + [moved / ARM_M] * 3)

    def _add_move(self, time_ns: int, seconds: float, step: Floats) -> None:
        """Accumulate the motion by the fingers; corrections of the estimate are not motion."""
        self._last_move = step / max(seconds, 1e-9)
        self._sum_of_moves = extrapolate(np.concatenate([self._sum_of_moves[:7], step]), 1.0)
        self._motion_in_hand.add(time_ns, self._sum_of_moves)

    def _correct(self, placed: PlacedHand) -> bool:
        """Correct the estimate with the fingers' contacts; returns whether there was anything to compare with."""
        around = self._filter.nearest_touches(placed.centres)
        before, self._touching = self._touching, self._pushing(around)
        for finger in before.keys() - self._touching.keys():
            self._filter.reset_offset(finger)
        moved = self._filter.update([touch.link for touch in self._touching.values()])
        self._around = around
        return moved

    def _pushing(self, around: list[Touch]) -> dict[int, Touch]:
        """Return the contact of each finger that pushes the object."""
        nearest: dict[int, Touch] = {}
        for touch in around:
            finger = self._surface.fingers[touch.link]
            if finger < 0 or not self._torques.pushing[finger]:
                continue
            if finger not in nearest or touch.distance < nearest[finger].distance:
                nearest[finger] = touch
        gates = self._filter.gates(list(nearest.values()))
        return {
            finger: touch
            for (finger, touch), gate in zip(nearest.items(), gates, strict=True)
            if touch.distance <= gate
        }

    def _choose_phase(self, time_ns: int, hand: Floats, moved: bool) -> None:
        held = opposed(list(self._touching.values()), _OPPOSED)
        if held and self.phase is not Phase.HELD:
            self._filter.reset_offsets()
            self.phase = Phase.HELD
        if self.phase is Phase.HELD:
            gap = self._limits.let_go_gap
            near = [t for t in self._around if t.distance < gap]
            if held:
                self._last_pushed_ns = time_ns
            if held or opposed(near, _OPPOSED):
                self._last_held_ns = time_ns
            else:
                self._release(time_ns, hand)
        if self.phase is not Phase.HELD and moved:
            pose = np.concatenate([self._filter.position, self._filter.quaternion, np.zeros(6)])
            self._world[:7] = compose(hand, pose)[:7]

    def _release(self, time_ns: int, hand: Floats) -> None:
        """Release the object: it left the fingers after the last step at which they held it.

        If they pushed until shortly before, it left them after the last step at which they pushed: pushing ends when
        they begin to open, slightly before there is a gap.
        """
        recent = self._last_held_ns - self._last_pushed_ns <= _JUST_NOW_NS
        since_ns = self._last_pushed_ns if recent else self._last_held_ns
        self.release_ns = (since_ns + time_ns) // 2
        seconds = (time_ns - self.release_ns) * 1e-9
        self._world = _fall(extrapolate(self._moving(hand), -seconds), seconds)
        self._motion_in_hand.clear()
        self.phase = Phase.FLYING


def _fall(pose: Floats, seconds: float) -> Floats:
    """Return (13,) pose and twist of a falling object at a later time, in the world."""
    later = extrapolate(pose, seconds).copy()
    later[:3] += 0.5 * seconds**2 * _GRAVITY
    later[7:10] += seconds * _GRAVITY
    return later
