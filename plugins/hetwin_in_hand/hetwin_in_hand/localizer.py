"""Tracking of one object while it rests, is held by the hand, and falls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

import numpy as np
from transforms3d.quaternions import axangle2quat, qmult

from hetwin_in_hand.carrying import ARM_M, Grip, carried, opposed
from hetwin_in_hand.geometry import PALM, HandSurface, ObjectGeometry, PlacedHand
from hetwin_in_hand.pose_filter import NO_TOUCHES, Noise, PoseFilter, Touches
from hetwin_in_hand.pressing import Pressing
from hetwin_in_hand.settings import Settings
from hetwin_suite.model import (
    WORLD,
    Floats,
    HandMotion,
    Snapshot,
    Value,
    compose,
    extrapolate,
    relative_to,
    rotation_matrix,
)

_GRAVITY = np.array((0.0, 0.0, -9.81))
_OPPOSED = -0.3
"""Two fingers hold an object between them if the cosine of their normals is below this."""
_OVERLAP_NOISE_M = 0.001
_JUST_NOW_NS = 60_000_000
_STEEPEST = 0.7
_STILL_SHARE = 0.25
"""Fingers have started to open if they have moved by at least this share of `Settings.let_go_gap`."""


class Phase(Enum):
    """The state of the object's motion."""

    RESTING = "resting"
    """The object is at rest; fingers may push it."""
    HELD = "held"
    """The object moves with the hand and the fingers."""
    FLYING = "flying"
    """The fingers have released the object; it falls."""


class Localizer:
    """Estimates the pose of one object.

    Args:
        hand: name of the hand.
        surface: surface of the hand's links.
        pressing: detects which fingers press.
        form: geometry of the object.
        limits: the model's parameters.
    """

    def __init__(
        self,
        hand: str,
        surface: HandSurface,
        pressing: Pressing,
        form: ObjectGeometry,
        limits: Settings,
    ) -> None:
        self._hand = hand
        self._surface = surface
        self._pressing = pressing
        self._limits = limits
        self._creep = limits.drift_position, float(np.radians(limits.drift_rotation))
        self.shift(limits.offset)
        noise = Noise(
            limits.contact_noise,
            limits.contact_offset,
            limits.common_offset,
            limits.offset_spread,
            limits.contact_depth,
            _OVERLAP_NOISE_M,
        )
        self._filter = PoseFilter(form, noise, surface)
        self._reach = noise.gate * noise.common
        self._grip = Grip()
        window = round(limits.velocity_window * 1e9)
        self._hand_motion, self._motion_in_hand = HandMotion(window), HandMotion(window)

    def begin_at_rest(self, scene: Snapshot, pose: Floats) -> None:
        """Start with the object at rest at `pose` (13,) in the world; its velocities are ignored."""
        self.phase = Phase.RESTING
        self.release_ns = -1
        self._world = pose.copy()
        self._world[7:] = 0.0
        self._time_ns = scene.time_ns
        self._last_held_ns = self._last_pushed_ns = self._loose_ns = scene.time_ns
        self._still: dict[int, float] = {}
        self._placed: PlacedHand | None = None
        self._touching = NO_TOUCHES
        self._grip.clear()
        self._hand_motion.clear()
        self._motion_in_hand.clear()
        self._last_move = np.zeros(6)
        self._sum_of_moves = np.zeros(13)
        self._sum_of_moves[3] = 1.0
        self._farthest = (0.0, 0.0)
        self._grasp_up, self._slope = np.zeros(3), 0.0
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
        self._predict(scene.time_ns, hand, placed)
        moved = self._correct(placed)
        self._choose_phase(scene.time_ns, hand, placed, moved)
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
        """Return (6, 6) covariance of position [m] and rotation [rad] in the hand's axes.

        Fingers around an object do not observe its height in the hand. The filter therefore does not estimate that
        height; two causes of its error are added here. If the common offset is due to the object's size, an object
        on a support was higher or lower by that amount. Fingers that close below the object's centre raise the
        object while they push it sideways.
        """
        covariance = self._filter.pose_covariance()
        size = self._limits.size_share * self._filter.common_offset
        raised = self._limits.prior_position * self._slope
        covariance[:3, :3] += (size**2 + raised**2) * np.outer(self._grasp_up, self._grasp_up)
        return covariance

    @property
    def without_efforts(self) -> list[int]:
        """Touching fingers with at least one joint of unknown effort."""
        return [f for f in self._touching.fingers if self._pressing.stands_in(f)]

    def _pose_in_hand(self, twist: Floats) -> Floats:
        position, quaternion = self._filter.position, self._filter.quaternion
        if self._offset.any():
            position = position + self._offset[:3]
            quaternion = qmult(_quaternion(self._offset[3:]), quaternion)
        return np.concatenate([position, quaternion, twist])

    def shift(self, offset: Sequence[float]) -> None:
        """Set the offset that is added to the pose of a held object; see `Settings.offset`."""
        self._offset = np.array(offset)

    def _moving(self, hand: Floats) -> Floats:
        """Return (13,) pose and twist of the held object in the world."""
        moving = np.concatenate([hand[:7], self._hand_motion.twist()])
        return compose(moving, self._pose_in_hand(self._motion_in_hand.twist()))

    def _predict(self, time_ns: int, hand: Floats, placed: PlacedHand) -> None:
        seconds = (time_ns - self._time_ns) * 1e-9
        if self.phase is Phase.HELD and self._placed is not None:
            # A finger that has stopped pushing, since it opens, does not carry the object.
            pushing = self._pressing.pushing
            mine = [row for row, f in enumerate(self._touching.fingers) if pushing[f]]
            touches = self._touching.of(mine)
            move, turn = carried(touches, self._placed, placed, self._filter.position)
            self._filter.carry(move, turn)
            self._add_move(time_ns, seconds, np.concatenate([move, turn]))
            self._filter.drift(seconds, self._drift(seconds))
            return
        if self.phase is Phase.FLYING:
            self._world = _fall(self._world, seconds)
        elif self._touching.links and self._placed is not None:
            self._filter.drift(seconds, self._pushed(self._placed, placed))
        pose = relative_to(hand, self._world)
        self._filter.move_frame(pose[:3], pose[3:7])

    def _drift(self, seconds: float) -> Floats:
        """Return (6, 6) covariance of the increments of the object's motion relative to the fingers.

        The object creeps as a random walk, and slips by a share of the farthest displacement by the fingers so far.
        """
        limits, moves, before = self._limits, self._sum_of_moves, self._farthest
        turn = 2.0 * float(np.arccos(min(1.0, abs(moves[3]))))
        way = math.sqrt(moves[:3].dot(moves[:3]))
        self._farthest = max(before[0], way), max(before[1], turn)
        new = []
        for creep, was, is_now in zip(self._creep, before, self._farthest, strict=True):
            slipped = limits.slip**2 * (is_now * is_now - was * was)
            new.append(max(seconds, 0.0) * (creep * creep) + slipped)
        return np.diag(np.repeat(new, 3))

    def _pushed(self, before: PlacedHand, now: PlacedHand) -> Floats:
        """Return (6, 6) covariance of the displacement of an object that fingers push but do not hold.

        A finger displaces the object along the contact normal by the finger's own motion; sideways, the object slips.
        """
        noise = np.zeros((6, 6))
        for link, normal in zip(self._touching.links, self._touching.normals, strict=True):
            mine = self._surface.link_of == link
            ways = now.centres[mine] - before.centres[mine]
            square = float((ways**2).sum(axis=1).max())
            along = np.outer(normal, normal) + self._limits.slip**2 * np.eye(3)
            noise[:3, :3] += square * along
            noise[3:, 3:] += square / ARM_M**2 * np.eye(3)
        return noise

    def _add_move(self, time_ns: int, seconds: float, step: Floats) -> None:
        """Accumulate the motion by the fingers; corrections of the estimate do not count as motion."""
        self._last_move = step / max(seconds, 1e-9)
        self._sum_of_moves = extrapolate(np.concatenate([self._sum_of_moves[:7], step]), 1.0)
        self._motion_in_hand.add(time_ns, self._sum_of_moves)

    def _correct(self, placed: PlacedHand) -> bool:
        """Correct the estimate with the fingers' contacts; returns False without any contact or overlap."""
        around = self._filter.nearest_touches(placed.centres)
        before, self._touching = self._touching, self._pushing(around)
        for finger in before.fingers:
            if finger not in self._touching.fingers:
                self._filter.reset_offset(finger)
        moved = self._filter.update(self._touching.links)
        self._around = around
        return moved

    def _pushing(self, around: Touches) -> Touches:
        """Return the contact of each finger that pushes the object.

        A finger that pushes within reach of the object touches it. If the estimated distance contradicts that, the
        finger's offset is reset.
        """
        nearest: dict[int, int] = {}
        pushing, distances = self._pressing.pushing, around.distances
        for row, finger in enumerate(around.fingers):
            if finger < 0 or not pushing[finger]:
                continue
            if finger not in nearest or distances[row] < distances[nearest[finger]]:
                nearest[finger] = row
        touches = around.of(list(nearest.values()))
        beyond = self._filter.surprises(touches)
        for finger, surprise in zip(touches.fingers, beyond, strict=True):
            if 0.0 < surprise <= self._reach:
                self._filter.reset_offset(finger, surprise)
        near = [row for row, surprise in enumerate(beyond) if surprise <= self._reach]
        return touches if len(near) == len(beyond) else touches.of(near)

    def _choose_phase(self, time_ns: int, hand: Floats, placed: PlacedHand, moved: bool) -> None:
        held = opposed(self._touching.normals, _OPPOSED)
        if held and self.phase is not Phase.HELD:
            self._filter.reset_offsets()
            self._filter.spread(self._limits.offset_spread * abs(self._filter.common_offset))
            self._grip.clear()
            self._note_height(hand)
            self.phase = Phase.HELD
        if self.phase is Phase.HELD:
            self._grip.press(self._touching, placed)
            opened = self._grip.opened(placed)
            if held:
                self._last_pushed_ns = time_ns
            if held or self._still_holds(hand, opened):
                self._note_hold(time_ns, held, opened)
            else:
                self._release(time_ns, hand)
        if self.phase is not Phase.HELD and moved:
            pose = np.concatenate([self._filter.position, self._filter.quaternion, np.zeros(6)])
            self._world[:7] = compose(hand, pose)[:7]

    def _note_height(self, hand: Floats) -> None:
        """Store the up direction in the hand's frame, and the slope at which the fingers raise a pushed object."""
        self._grasp_up = rotation_matrix(hand[3:7])[2]
        upwards = -float(np.mean([n @ self._grasp_up for n in self._touching.normals]))
        self._slope = math.tan(math.asin(min(max(upwards, 0.0), _STEEPEST)))

    def _note_hold(self, time_ns: int, held: bool, opened: dict[int, float]) -> None:
        """Store the time of the hold; if weak fingers have just started to move, only the time when they did."""
        moved = max(abs(gap - self._still.get(finger, gap)) for finger, gap in opened.items())
        quiet = held or moved < _STILL_SHARE * self._limits.let_go_gap
        if quiet or time_ns - self._last_held_ns > _JUST_NOW_NS:
            self._last_held_ns = self._loose_ns = time_ns
            self._still = opened
        elif self._loose_ns == self._last_held_ns:
            self._loose_ns = time_ns

    def _still_holds(self, hand: Floats, opened: dict[int, float]) -> bool:
        """Return whether fingers that have stopped pushing still hold the object.

        They have lost it if they have opened, if they have closed by more than `close_in`, or if their torques have
        vanished. An object that lies on the fingers needs no torque to stay there.
        """
        limits = self._limits
        if np.mean(list(opened.values())) < -limits.close_in:
            return False
        if not self._lies(hand) and self._pressing.strength(list(opened)) < limits.hold_effort:
            return False
        near = [gap < limits.let_go_gap for gap in opened.values()]
        around = self._around
        palm = [
            finger == PALM and distance < limits.let_go_gap
            for finger, distance in zip(around.fingers, around.distances, strict=True)
        ]
        return opposed(
            np.concatenate([self._grip.touches.normals[near], around.normals[palm]]), _OPPOSED
        )

    def _lies(self, hand: Floats) -> bool:
        """Return whether the fingers support the object from below."""
        up = rotation_matrix(hand[3:7])[2]
        upwards = float(-np.mean(self._grip.touches.normals, axis=0) @ up)
        return upwards > math.sin(math.radians(self._limits.support))

    def _release(self, time_ns: int, hand: Floats) -> None:
        """Release the object, and estimate the time at which it left the fingers.

        By default that is midway between the last step of the hold and now. Fingers that pushed until shortly before
        stop pushing when they start to open, slightly before there is a gap: then it is midway between the last push
        and now. If weak fingers have just started to move, the end of the interval is when they started.
        """
        recent = self._last_held_ns - self._last_pushed_ns <= _JUST_NOW_NS
        since_ns = self._last_pushed_ns if recent else self._last_held_ns
        loose = not recent and self._loose_ns > self._last_held_ns
        self.release_ns = (since_ns + (self._loose_ns if loose else time_ns)) // 2
        seconds = (time_ns - self.release_ns) * 1e-9
        self._world = _fall(extrapolate(self._moving(hand), -seconds), seconds)
        self._motion_in_hand.clear()
        self.phase = Phase.FLYING


def _quaternion(turn: Floats) -> Floats:
    """Return w x y z of a rotation vector."""
    angle = float(np.linalg.norm(turn))
    return np.asarray(axangle2quat(turn, angle)) if angle else np.array([1.0, 0.0, 0.0, 0.0])


def _fall(pose: Floats, seconds: float) -> Floats:
    """Return (13,) pose and twist of a falling object at a later time, in the world."""
    later = extrapolate(pose, seconds).copy()
    later[:3] += 0.5 * seconds**2 * _GRAVITY
    later[7:10] += seconds * _GRAVITY
    return later
