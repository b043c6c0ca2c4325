"""An iterated extended Kalman filter for the pose of an object in a hand."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_in_hand.geometry import HandSurface, ObjectGeometry
from hetwin_suite.model import Floats, conjugate, multiply, normalized, rotation_by, rotation_matrix

_Seen: TypeAlias = tuple[Floats, Floats, Floats]

_ITERATIONS = 4
_CONVERGED = 2e-5
"""Change of the state in an iteration below which the filter has converged [m and rad]."""
_NEIGHBOURS_M = 0.004
"""Balls at most this much farther than the nearest one of their link may become the nearest [m]."""
_NEAR_M = 0.03
"""Links farther than this from the object are ignored [m]."""
_OFFSET_TIME_S = 5.0
"""Time constant with which the offsets of finger contacts change [s]."""
_MAX_ROTATION = 1.0
"""Upper limit of the standard deviation of a rotation, which is unknown then [rad]."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviations of the measurements.

    Attributes:
        contact: distance of a touching finger from the object, from step to step [m].
        offset: the same, but constant during a contact, from errors of geometry and softness [m].
        common: the same, but constant and equal for all fingers, from the zeros of joints and the object's size [m].
        spread: how much that differs from finger to finger, as a share of it.
        depth: penetration of a touching finger into the object [m].
        overlap: penetration of a finger that need not touch [m].
        gate: a pushing finger touches the object if it is at most this many standard deviations away.
    """

    contact: float
    offset: float
    common: float
    spread: float
    depth: float
    overlap: float
    gate: float = 3.0


@dataclass(frozen=True, slots=True)
class Touches:
    """For each of some links the point of an object that is nearest to it.

    Attributes:
        links: numbers of the links with a surface.
        fingers: of the links, `PALM` for the palm.
        points: (n, 3) on the object's surface, in the hand's frame [m].
        normals: (n, 3) outward from the object, in the hand's frame.
        distances: between the surfaces [m], negative for a penetration.
    """

    links: list[int]
    fingers: list[int]
    points: Floats
    normals: Floats
    distances: list[float]

    def of(self, rows: list[int]) -> Touches:
        """Return some of them, by their rows."""
        return Touches(
            [self.links[row] for row in rows],
            [self.fingers[row] for row in rows],
            self.points[rows],
            self.normals[rows],
            [self.distances[row] for row in rows],
        )

    def and_(self, others: Touches) -> Touches:
        """Return these, and others after them."""
        return Touches(
            self.links + others.links,
            self.fingers + others.fingers,
            np.concatenate([self.points, others.points]),
            np.concatenate([self.normals, others.normals]),
            self.distances + others.distances,
        )


NO_TOUCHES = Touches([], [], np.empty((0, 3)), np.empty((0, 3)), [])


@dataclass(frozen=True, slots=True)
class _Nearby:
    """The balls that may touch the object.

    Attributes:
        links: (m,) the links with such balls, in order.
        starts: (m,) the first ball of each link.
        owners: (n,) of each ball, the row of its link.
        centres: (n, 3) in the hand's frame.
        radii: (n,).
        seen: distances, normals and points as returned by `PoseFilter._measure`.
    """

    links: NDArray[np.intp]
    starts: NDArray[np.intp]
    owners: NDArray[np.intp]
    centres: Floats
    radii: Floats
    seen: _Seen

    def nearest(self, distances: Floats) -> NDArray[np.intp]:
        """Return (m,) the index of the nearest ball of each link, the first one of several."""
        if not len(self.links):
            return self.starts
        least = np.minimum.reduceat(distances, self.starts)
        at = (distances == least[self.owners]).nonzero()[0]
        if len(at) == len(least):
            return np.asarray(at, np.intp)
        first = np.searchsorted(self.owners[at], np.arange(len(least)))
        return np.asarray(at[first], np.intp)


class PoseFilter:
    """Estimates the pose of an object in the hand's frame from distances of links to its surface.

    The error state consists of position in the hand's axes (3), rotation vector in the object's axes (3), for each
    finger an offset of its distance, which accounts for the correlation of repeated measurements of the same fingers,
    and an offset that all fingers share, which accounts for errors of their joints' zeros and of the object's size.
    The greater the shared offset turns out to be, the less certain are those of the single fingers.
    Unobservable rotations (of a sphere, of a cylinder about its axis) do not appear in the measurement and are only
    predicted.

    After Pfanne and Chalon, EKF-based in-hand object localization from joint position and torque measurements, IROS
    2017; there with joint offsets in the state, here with offsets of the fingers' distances.

    Args:
        geometry: of the object.
        noise: of the measurements.
        surface: of the hand.
    """

    def __init__(self, geometry: ObjectGeometry, noise: Noise, surface: HandSurface) -> None:
        self._geometry = geometry
        self._noise = noise
        self._surface = surface
        self._offset_rows = _offset_rows(surface.fingers)
        self._size = 6 + self._offset_rows.shape[1]
        self._place(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
        self.covariance = np.zeros((self._size, self._size))
        self._offsets = np.zeros(self._size - 6)

    def reset(self, pose: Floats, covariance: Floats) -> None:
        """Start from a pose (7 or more) in the hand's frame and the covariance (6, 6) of its error."""
        self._place(pose[:3].copy(), pose[3:7].copy())
        self.covariance = np.zeros((self._size, self._size))
        self.covariance[:6, :6] = covariance
        self._offsets[-1] = 0.0
        self.covariance[-1, -1] = self._noise.common**2
        self.reset_offsets()

    def _place(self, position: Floats, quaternion: Floats) -> None:
        self.position, self.quaternion = position, quaternion
        self._turn = rotation_matrix(quaternion)

    @property
    def common_offset(self) -> float:
        """The offset that all fingers share [m]; it is added to their distances."""
        return float(self._offsets[-1])

    def reset_offsets(self) -> None:
        """Reset the offsets of all single fingers, not the shared one."""
        for finger in range(self._size - 7):
            self.reset_offset(finger)

    def reset_offset(self, finger: int, error: float = 0.0) -> None:
        """Reset a finger's offset: its next contact is independent of the last one.

        Args:
            finger: its number.
            error: standard deviation of its distance's error beyond the known one [m].
        """
        at = 6 + finger
        self._offsets[finger] = 0.0
        self.covariance[at] = self.covariance[:, at] = 0.0
        self.covariance[at, at] = self._finger_variance() + error**2

    def _finger_variance(self) -> float:
        """Return the variance of a single finger's offset [m^2]."""
        spread = self._noise.spread * self._offsets[-1]
        return float(self._noise.offset**2 + spread**2)

    def move_frame(self, position: Floats, quaternion: Floats) -> None:
        """Set the object's pose in the hand after the hand has moved and the object has not."""
        back = multiply(quaternion.tolist(), conjugate(self.quaternion.tolist()))
        turn = rotation_matrix(back)
        p = self.covariance
        p[:3] = turn @ p[:3]
        p[:, :3] = p[:, :3] @ turn.T
        self._place(position.copy(), quaternion.copy())

    def drift(self, seconds: float, noise: Floats) -> None:
        """Predict over a time: the covariance grows, and the offsets decay.

        Args:
            seconds: duration [s].
            noise: (6, 6) covariance of the object's unmodelled motion: position [m], along the hand's
                axes; rotation [rad], about the object's.
        """
        p = self.covariance
        diagonal = p.reshape(-1)[:: self._size + 1]
        p[:6, :6] += noise
        too_much = (diagonal[3:6] > _MAX_ROTATION**2).nonzero()[0]
        for row in (3 + too_much).tolist():
            factor = _MAX_ROTATION / math.sqrt(p[row, row])
            p[row] *= factor
            p[:, row] *= factor
        kept = math.exp(-seconds / _OFFSET_TIME_S)
        self._offsets[:-1] *= kept
        p[6:-1] *= kept
        p[:, 6:-1] *= kept
        diagonal[6:-1] += (1.0 - kept**2) * self._finger_variance()

    def carry(self, move: Floats, turn: Floats) -> None:
        """Predict the object's motion with the fingers.

        Args:
            move: (3,) of its origin, in the hand's frame [m].
            turn: (3,) rotation vector in the hand's axes.
        """
        turned = multiply(rotation_by(turn.tolist()), self.quaternion.tolist())
        self._place(self.position + move, np.array(normalized(turned)))

    def nearest_touches(self, centres: Floats) -> Touches:
        """Return the nearest point of each link that is near the object, in the links' order.

        Args:
            centres: (n, 3) of the surface's balls, in the hand's frame.
        """
        surface = self._surface
        distances, normals, points = self._measure(centres, surface.radii)
        least = np.minimum.reduceat(distances, surface.starts)
        limits = np.where(least < _NEAR_M, least + _NEIGHBOURS_M, -np.inf)
        kept = (distances <= limits[surface.link_of]).nonzero()[0]
        links = (least < _NEAR_M).nonzero()[0]
        owners = np.searchsorted(links, surface.link_of[kept])
        starts = np.searchsorted(owners, np.arange(len(links)))
        seen = distances, normals, points = distances[kept], normals[kept], points[kept]
        self._nearby = near = _Nearby(
            links, starts, owners, centres[kept], surface.radii[kept], seen
        )
        at = near.nearest(distances)
        numbers = links.tolist()
        fingers = [surface.fingers[link] for link in numbers]
        return Touches(numbers, fingers, points[at], normals[at], distances[at].tolist())

    def spread(self, position: float) -> None:
        """Let the position be less certain by this standard deviation [m], in all directions."""
        self.covariance.reshape(-1)[:: self._size + 1][:3] += position**2

    def surprises(self, touches: Touches) -> list[float]:
        """Return how far each of these links is from touching [m], beyond the uncertainty; below 0 it may touch."""
        if not touches.links:
            return []
        rows = self._rows(self._offset_rows[touches.links], touches.points, touches.normals)
        variances = np.einsum("ij,ij->i", rows @ self.covariance, rows) + self._noise.contact**2
        away = np.array(touches.distances) + rows[:, 6:] @ self._offsets
        beyond: list[float] = (away - self._noise.gate * np.sqrt(variances)).tolist()
        return beyond

    def update(self, touching: Collection[int]) -> bool:
        """Correct the estimate: fingers in contact are at the object's surface, and no other link is inside it.

        Must be called after `nearest_touches`, with the same hand. Constraints that only keep the object out of the
        fingers move the estimate but do not reduce the covariance, since they are not independent from step to step.

        Args:
            touching: the links in contact.

        Returns:
            whether there was anything to compare with.
        """
        near = self._nearby
        shifts = self._offset_rows[near.links]
        must = np.array([link in touching for link in near.links.tolist()], np.bool_)
        variances = np.where(must, self._noise.contact, self._noise.overlap) ** 2
        depths = np.where(must, self._noise.depth, 0.0)
        active = must.copy()
        start = (self.position, self.quaternion, self._offsets)
        moved = last = np.zeros(self._size)
        seen = near.seen
        gain = rows = np.zeros((0, self._size))
        for _ in range(_ITERATIONS):
            distances, normals, points = seen
            nearest = near.nearest(distances)
            active |= distances[nearest] + shifts @ self._offsets < 0
            chosen = active.nonzero()[0]
            if not len(chosen):
                return False
            at = nearest[chosen]
            rows = self._rows(shifts[chosen], points[at], normals[at])
            gaps = distances[at] + depths[chosen] + rows[:, 6:] @ self._offsets
            gain = self._gain(rows, variances[chosen])
            moved = gain @ (rows @ moved - gaps)
            self._set(start, moved)
            if abs(moved - last).max() < _CONVERGED:
                break
            last = moved
            seen = self._measure(near.centres, near.radii)
        sure = rows[must[active]]
        if len(sure):
            if len(sure) < len(rows):
                gain = self._gain(sure, np.full(len(sure), self._noise.contact**2))
            left = self.covariance - gain @ (sure @ self.covariance)
            self.covariance = 0.5 * (left + left.T)
        return True

    def _gain(self, rows: Floats, variances: Floats) -> Floats:
        spread = rows @ self.covariance
        total = spread @ rows.T
        total.reshape(-1)[:: len(rows) + 1] += variances
        return np.asarray(np.linalg.solve(total, spread).T)

    def _measure(self, centres: Floats, radii: Floats) -> _Seen:
        """Return distances between balls and object, the object's normals, and the points on its surface."""
        distances, normals = self._geometry.measure((centres - self.position) @ self._turn)
        normals = normals @ self._turn.T
        return distances - radii, normals, centres - distances[:, None] * normals

    def _rows(self, shifts: Floats, points: Floats, normals: Floats) -> Floats:
        """Return the Jacobian of the distances with respect to the state.

        Args:
            shifts: (n, fingers + 1) the part that belongs to the offsets.
            points, normals: (n, 3) of the object's surface.
        """
        ax, ay, az = ((points - self.position) @ self._turn).T
        nx, ny, nz = (normals @ self._turn).T
        rows = np.empty((len(points), self._size))
        rows[:, :3] = -normals
        rows[:, 3] = ny * az - nz * ay
        rows[:, 4] = nz * ax - nx * az
        rows[:, 5] = nx * ay - ny * ax
        rows[:, 6:] = shifts
        return rows

    def _set(self, start: tuple[Floats, Floats, Floats], moved: Floats) -> None:
        self._offsets = start[2] + moved[6:]
        turned = multiply(start[1].tolist(), rotation_by(moved[3:6].tolist()))
        self._place(start[0] + moved[:3], np.array(normalized(turned)))

    def pose_covariance(self) -> Floats:
        """Return (6, 6) covariance of position [m] and rotation [rad], both in the hand's axes."""
        turn = np.eye(6)
        turn[3:, 3:] = self._turn
        return np.asarray(turn @ self.covariance[:6, :6] @ turn.T)


def _offset_rows(fingers: Sequence[int]) -> Floats:
    """Return (links, fingers + 1) 1 where a link belongs to a finger, and in the last column to any."""
    rows = np.zeros((len(fingers), max([-1, *fingers]) + 2))
    for row, finger in zip(rows, fingers, strict=True):
        if finger >= 0:
            row[[finger, -1]] = 1.0
    return rows
