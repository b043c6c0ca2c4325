"""An iterated extended Kalman filter for the pose of an object in a hand."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from hetwin_core.ensemble.scene.poses import conjugate, multiply, normalized, rotation_by
from hetwin_core.ensemble.scene.rotations import rotation_matrix
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.in_hand_localization.hand_surface import HandSurface
from model_nodes.in_hand_localization.object_geometry import ObjectForm

_Seen: TypeAlias = tuple[Floats, Floats, Floats]

_ITERATIONS = 4
_CONVERGED = 2e-5
"""Metres and radians by which a further iteration would not change anything of use."""
_NEIGHBOURS_M = 0.004
"""Balls that are by at most this farther than the nearest one of their link may become the nearest."""
_NEAR_M = 0.03
"""Links farther than this from the object do not matter."""
_OFFSET_LASTS_S = 1.0
"""Time constant with which fingers come to touch otherwise."""
_MOST_ROTATION = 1.0
"""Standard deviation in rad above which a rotation counts as unknown; grows no further."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviations of what is measured.

    Attributes:
        contact: distance of a finger that touches from the object [m], from step to step.
        offset: the same, but constant while a finger touches: its geometry, its softness [m].
        depth: how deep a finger that touches presses itself into the object [m].
        overlap: how far a finger that need not touch may be inside the object [m].
        gate: a finger that pushes something touches the object if it is at most so many standard deviations away.
    """

    contact: float
    offset: float
    depth: float
    overlap: float
    gate: float = 3.0


@dataclass(frozen=True, slots=True)
class Touch:
    """The nearest point of a link.

    Attributes:
        link: number of the link with a surface.
        point: (3,) on the object's surface, in the hand's frame [m].
        normal: (3,) out of the object, in the hand's frame.
        distance: between the surfaces [m], negative inside.
    """

    link: int
    point: Floats
    normal: Floats
    distance: float


@dataclass(frozen=True, slots=True)
class _Nearby:
    """The balls that may touch the object.

    Attributes:
        links: whose they are, in order.
        ends: where each link's balls end, after a 0.
        centres: (n, 3) in the hand's frame.
        radii: (n,).
        seen: distances, normals and points as `PoseFilter._measure` answers.
    """

    links: list[int]
    ends: list[int]
    centres: Floats
    radii: Floats
    seen: _Seen

    def nearest(self, distances: Floats) -> list[int]:
        """Per link, which of its balls is nearest."""
        return [a + int(distances[a:b].argmin()) for a, b in pairwise(self.ends)]


class PoseFilter:
    """Estimates the pose of an object in the hand's frame from distances of links to its surface.

    The state's error is: position in the hand's axes (3), rotation vector in the object's axes (3), and for each
    finger an offset of its distance, which keeps what many measurements of the same fingers say from being
    believed more than they deserve. Rotations about which the form says nothing (of a sphere, of a cylinder
    about its axis) have no place in the measurement and are just carried along.

    After Pfanne and Chalon, EKF-based in-hand object localization from joint position and torque measurements, IROS
    2017; there with joint offsets in the state, here with an offset of each finger's distance.

    Args:
        form: of the object.
        noise: of the measurements.
        surface: of the hand.
    """

    def __init__(self, form: ObjectForm, noise: Noise, surface: HandSurface) -> None:
        self._form = form
        self._noise = noise
        self._surface = surface
        self._offset_rows = _offset_rows(surface.fingers)
        self._size = 6 + self._offset_rows.shape[1]
        self.position = np.zeros(3)
        self.quaternion = np.array([1.0, 0.0, 0.0, 0.0])
        self.covariance = np.zeros((self._size, self._size))
        self._offsets = np.zeros(self._size - 6)

    def reset(self, pose: Floats, covariance: Floats) -> None:
        """Start from a pose (7 or more) in the hand's frame and the covariance (6, 6) of its error."""
        self.position, self.quaternion = pose[:3].copy(), pose[3:7].copy()
        self.covariance = np.zeros((self._size, self._size))
        self.covariance[:6, :6] = covariance
        self.forget_offsets()

    def forget_offsets(self) -> None:
        """The fingers touch otherwise than before."""
        for finger in range(self._size - 6):
            self.forget_offset(finger)

    def forget_offset(self, finger: int) -> None:
        """A finger has let go: where it touches next has nothing to do with where it touched."""
        at = 6 + finger
        self._offsets[finger] = 0.0
        self.covariance[at] = self.covariance[:, at] = 0.0
        self.covariance[at, at] = self._noise.offset**2

    def move_frame(self, position: Floats, quaternion: Floats) -> None:
        """The hand has moved while the object has not: give the object's new pose in the hand."""
        back = multiply(quaternion.tolist(), conjugate(self.quaternion.tolist()))
        turn = rotation_matrix(back)
        p = self.covariance
        p[:3] = turn @ p[:3]
        p[:, :3] = p[:, :3] @ turn.T
        self.position, self.quaternion = position.copy(), quaternion.copy()

    def drift(self, seconds: float, noise: Floats) -> None:
        """Time passes: the estimate is less sure, and what is known of the offsets fades.

        Args:
            seconds: how long.
            noise: (6,) standard deviations by which the object may have moved otherwise than told: position [m],
                rotation [rad].
        """
        p = self.covariance
        diagonal = p.reshape(-1)[:: self._size + 1]
        diagonal[:6] += noise**2
        too_much = np.flatnonzero(diagonal[3:6] > _MOST_ROTATION**2)
        for row in (3 + too_much).tolist():
            factor = _MOST_ROTATION / math.sqrt(p[row, row])
            p[row] *= factor
            p[:, row] *= factor
        kept = math.exp(-seconds / _OFFSET_LASTS_S)
        self._offsets = kept * self._offsets
        p[6:] *= kept
        p[:, 6:] *= kept
        diagonal[6:] += (1.0 - kept**2) * self._noise.offset**2

    def carry(self, move: Floats, turn: Floats) -> None:
        """The object has been moved by the fingers.

        Args:
            move: (3,) of its origin, in the hand's frame [m].
            turn: (3,) rotation vector in the hand's axes.
        """
        self.position = self.position + move
        turned = multiply(rotation_by(turn.tolist()), self.quaternion.tolist())
        self.quaternion = np.array(normalized(turned))

    def look(self, centres: Floats) -> list[Touch]:
        """The nearest point of each link that is near the object, in the links' order.

        Args:
            centres: (n, 3) of the surface's balls, in the hand's frame.
        """
        surface = self._surface
        distances, normals, points = self._measure(centres, surface.radii)
        least = np.minimum.reduceat(distances, surface.starts)
        limits = np.where(least < _NEAR_M, least + _NEIGHBOURS_M, -np.inf)
        kept = np.flatnonzero(distances <= limits[surface.link_of])
        links = np.flatnonzero(least < _NEAR_M)
        ends = np.searchsorted(surface.link_of[kept], links, side="right").tolist()
        seen = (distances[kept], normals[kept], points[kept])
        self._nearby = near = _Nearby(
            links.tolist(), [0, *ends], centres[kept], surface.radii[kept], seen
        )
        distances, normals, points = seen
        nearest = near.nearest(distances)
        return [
            Touch(link, points[i], normals[i], float(distances[i]))
            for link, i in zip(near.links, nearest, strict=True)
        ]

    def gates(self, touches: Sequence[Touch]) -> list[float]:
        """How far each of these links, if it touches the object, may seem to be away from it [m], at least."""
        least = self._noise.gate * self._noise.contact
        if all(touch.distance <= least for touch in touches):
            return [least] * len(touches)
        points, normals = (np.array([getattr(t, n) for t in touches]) for n in ("point", "normal"))
        rows = self._rows([touch.link for touch in touches], points, normals)
        variances = np.einsum("ij,ij->i", rows @ self.covariance, rows) + self._noise.contact**2
        gates: list[float] = (self._noise.gate * np.sqrt(variances)).tolist()
        return gates

    def update(self, touching: Collection[int]) -> bool:
        """Fingers that touch are at the object's surface; no other link is inside it.

        To be called after `look`, with the same hand. What only keeps the object out of the fingers moves the
        estimate, but makes it no surer: it says the same at every step.

        Args:
            touching: the links that touch.

        Returns:
            Whether there was anything to compare with.
        """
        near = self._nearby
        must = np.array([link in touching for link in near.links], np.bool_)
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
            active |= distances[nearest] < 0
            chosen = np.flatnonzero(active)
            if not len(chosen):
                return False
            at = [nearest[n] for n in chosen]
            rows = self._rows([near.links[n] for n in chosen], points[at], normals[at])
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
        total.flat[:: len(rows) + 1] += variances
        return np.asarray(np.linalg.solve(total, spread).T)

    def _measure(self, centres: Floats, radii: Floats) -> _Seen:
        """Distances between the balls and the object, the object's normals, and the points on its surface."""
        turn = rotation_matrix(self.quaternion)
        distances, normals = self._form.measure((centres - self.position) @ turn)
        normals = normals @ turn.T
        return distances - radii, normals, centres - distances[:, None] * normals

    def _rows(self, links: Sequence[int], points: Floats, normals: Floats) -> Floats:
        """How distances change with the state: the object moves towards the link, or turns towards it."""
        turn = rotation_matrix(self.quaternion)
        ax, ay, az = ((points - self.position) @ turn).T
        nx, ny, nz = (normals @ turn).T
        rows = np.zeros((len(links), self._size))
        rows[:, :3] = -normals
        rows[:, 3] = ny * az - nz * ay
        rows[:, 4] = nz * ax - nx * az
        rows[:, 5] = nx * ay - ny * ax
        rows[:, 6:] = self._offset_rows[links]
        return rows

    def _set(self, start: tuple[Floats, Floats, Floats], moved: Floats) -> None:
        self.position = start[0] + moved[:3]
        self._offsets = start[2] + moved[6:]
        turned = multiply(start[1].tolist(), rotation_by(moved[3:6].tolist()))
        self.quaternion = np.array(normalized(turned))

    def pose_covariance(self) -> Floats:
        """Covariance (6, 6) of position [m] and rotation [rad], both in the hand's axes."""
        turn = np.eye(6)
        turn[3:, 3:] = rotation_matrix(self.quaternion)
        return np.asarray(turn @ self.covariance[:6, :6] @ turn.T)


def _offset_rows(fingers: Sequence[int]) -> Floats:
    """(links, fingers) 1 where a link belongs to a finger."""
    rows = np.zeros((len(fingers), max([-1, *fingers]) + 1))
    for row, finger in zip(rows, fingers, strict=True):
        if finger >= 0:
            row[finger] = 1.0
    return rows
