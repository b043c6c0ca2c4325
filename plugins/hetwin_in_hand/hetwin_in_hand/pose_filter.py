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
"""Upper limit of the standard deviation of a rotation [rad]; at this limit the rotation is unknown."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviations of the measurements.

    Attributes:
        contact: white noise of a touching finger's distance from the object [m].
        offset: error of that distance that is constant during a contact, from geometry and softness [m].
        common: constant error of that distance that all fingers share, from joint zeros and the object's size [m].
        spread: variation of the common error from finger to finger, as a share of it.
        depth: mean penetration of a touching finger into the object [m].
        overlap: penetration of a link that is not known to touch [m].
        gate: maximum distance of a pushing finger that touches the object, in standard deviations.
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
    """The nearest points of an object to some links.

    Attributes:
        links: numbers of the links, as in `HandSurface.links`.
        fingers: finger number of each link, `PALM` for the palm.
        points: (n, 3) nearest points on the object's surface, in the hand's frame [m].
        normals: (n, 3) outward normals of the object, in the hand's frame.
        distances: distances between the surfaces [m], negative for a penetration.
    """

    links: list[int]
    fingers: list[int]
    points: Floats
    normals: Floats
    distances: list[float]

    def of(self, rows: list[int]) -> Touches:
        """Return the touches at some rows."""
        return Touches(
            [self.links[row] for row in rows],
            [self.fingers[row] for row in rows],
            self.points[rows],
            self.normals[rows],
            [self.distances[row] for row in rows],
        )

    def and_(self, others: Touches) -> Touches:
        """Return the concatenation of these and other touches."""
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
        links: (m,) numbers of the links with such balls, ascending.
        starts: (m,) index of the first ball of each link.
        owners: (n,) row of each ball's link in `links`.
        centres: (n, 3) centres of the balls in the hand's frame [m].
        radii: (n,) radii of the balls [m].
        seen: distances, normals and points as returned by `PoseFilter._measure`.
    """

    links: NDArray[np.intp]
    starts: NDArray[np.intp]
    owners: NDArray[np.intp]
    centres: Floats
    radii: Floats
    seen: _Seen

    def nearest(self, distances: Floats) -> NDArray[np.intp]:
        """Return the index (m,) of each link's nearest ball; of equally near balls, the first one."""
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

    The error state consists of the position in the hand's axes (3), the rotation vector in the object's axes (3), an
    offset of each finger's distance, and a common offset of all fingers. The offset of a finger accounts for the
    correlation of its repeated measurements; the common offset for errors of joint zeros and of the object's size.
    The variance of the finger offsets grows with the common offset. Unobservable rotations (of a sphere, of a
    cylinder about its axis) do not appear in the measurement and are only predicted.

    After Pfanne and Chalon, EKF-based in-hand object localization from joint position and torque measurements, IROS
    2017. They estimate joint offsets; this filter estimates offsets of the fingers' distances.

    Args:
        geometry: geometry of the object.
        noise: noise of the measurements.
        surface: surface of the hand.
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
        """Common offset of all fingers, which is added to their distances [m]."""
        return float(self._offsets[-1])

    def reset_offsets(self) -> None:
        """Reset the offset of every finger, but not the common offset."""
        for finger in range(self._size - 7):
            self.reset_offset(finger)

    def reset_offset(self, finger: int, error: float = 0.0) -> None:
        """Reset a finger's offset: its next contact is independent of the last one.

        Args:
            finger: number of the finger.
            error: additional standard deviation of the finger's distance [m].
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
        """Set the object's pose in the hand after the hand has moved relative to the resting object."""
        back = multiply(quaternion.tolist(), conjugate(self.quaternion.tolist()))
        turn = rotation_matrix(back)
        p = self.covariance
        p[:3] = turn @ p[:3]
        p[:, :3] = p[:, :3] @ turn.T
        self._place(position.copy(), quaternion.copy())

    def drift(self, seconds: float, noise: Floats) -> None:
        """Predict over a duration: the covariance grows, and the offsets decay.

        Args:
            seconds: duration [s].
            noise: (6, 6) covariance of the object's unmodelled motion: position [m] along the hand's axes, rotation
                [rad] about the object's axes.
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
            move: (3,) displacement of the object's origin, in the hand's frame [m].
            turn: (3,) rotation vector in the hand's axes [rad].
        """
        turned = multiply(rotation_by(turn.tolist()), self.quaternion.tolist())
        self._place(self.position + move, np.array(normalized(turned)))

    def nearest_touches(self, centres: Floats) -> Touches:
        """Return the nearest point of each link that is near the object, in the links' order.

        Args:
            centres: (n, 3) centres of the surface's balls, in the hand's frame.
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
        """Add uncertainty to the position: a standard deviation [m], equal in all directions."""
        self.covariance.reshape(-1)[:: self._size + 1][:3] += position**2

    def surprises(self, touches: Touches) -> list[float]:
        """Return each link's distance from the object beyond the gate [m]; a link with a value below 0 may touch."""
        if not touches.links:
            return []
        rows = self._rows(self._offset_rows[touches.links], touches.points, touches.normals)
        variances = np.einsum("ij,ij->i", rows @ self.covariance, rows) + self._noise.contact**2
        away = np.array(touches.distances) + rows[:, 6:] @ self._offsets
        beyond: list[float] = (away - self._noise.gate * np.sqrt(variances)).tolist()
        return beyond

    def update(self, touching: Collection[int]) -> bool:
        """Correct the estimate: fingers in contact are at the object's surface, and no other link is inside it.

        Must be called after `nearest_touches`, with the same hand. Constraints that only keep links out of the object
        move the estimate but do not reduce the covariance, since they are not independent from step to step.

        Args:
            touching: numbers of the links in contact.

        Returns:
            False if no link touches or overlaps the object, so that the estimate is unchanged.
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
        """Return distances (n,) of balls to the object, and its normals and surface points (n, 3) there."""
        distances, normals = self._geometry.measure((centres - self.position) @ self._turn)
        normals = normals @ self._turn.T
        return distances - radii, normals, centres - distances[:, None] * normals

    def _rows(self, shifts: Floats, points: Floats, normals: Floats) -> Floats:
        """Return the Jacobian of the distances with respect to the state.

        Args:
            shifts: (n, fingers + 1) derivatives with respect to the offsets.
            points, normals: (n, 3) points and normals of the object's surface.
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
    """Return a matrix (links, fingers + 1): 1 if a link belongs to the finger; last column: to any finger."""
    rows = np.zeros((len(fingers), max([-1, *fingers]) + 2))
    for row, finger in zip(rows, fingers, strict=True):
        if finger >= 0:
            row[[finger, -1]] = 1.0
    return rows
