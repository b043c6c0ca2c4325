"""A motion of joints through points, checked and sampled like in ros2_control's joint_trajectory_controller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class State(NamedTuple):
    """Positions [rad or m], velocities and accelerations of n joints, each (n,), or (m, n) at m times."""

    positions: Floats
    velocities: Floats
    accelerations: Floats


class Polynomials:
    """The motion of n joints through k points; at rest before the first and after the last one.

    Args:
        times: (k,) times of the points, increasing [s].
        positions: (k, n).
        velocities: (k, n); None: linear.
        accelerations: (k, n); None: cubic, if there are velocities.
    """

    def __init__(
        self,
        times: Floats,
        positions: Floats,
        velocities: Floats | None,
        accelerations: Floats | None,
    ) -> None:
        self._times, self._positions = times, positions
        lengths = np.diff(times)[:, None]
        if velocities is None:
            inner = _linear(positions, lengths)
        elif accelerations is None:
            inner = _cubic(positions, velocities, lengths)
        else:
            inner = _quintic(positions, velocities, accelerations, lengths)
        self._coefficients = inner

    def at(self, time: float) -> State:
        """Return the motion at a time [s], each (n,); equal to `sample` to the bit, but faster."""
        times = self._times
        first, last = times[0], times[-1]
        resting = np.zeros_like(self._positions[0])
        if len(times) == 1 or time >= last:
            return State(self._positions[-1].copy(), resting, resting.copy())
        segment = max(int(np.searchsorted(times, time, "right")) - 1, 0)
        t = max(time, first) - times[segment]
        positions, velocities, accelerations = resting, resting, resting
        for each in self._coefficients[::-1, segment]:  # Horner's rule, with both derivatives
            accelerations = accelerations * t + 2.0 * velocities
            velocities = velocities * t + positions
            positions = positions * t + each
        if time < first:
            return State(positions, resting, resting.copy())
        return State(positions, velocities, accelerations)

    def sample(self, times: Floats) -> State:
        """Return the motion at times (m,) [s], each (m, n)."""
        first, last = self._times[0], self._times[-1]
        shape = (len(times), self._positions.shape[1])
        if len(self._times) == 1:
            zeros = np.zeros(shape)
            return State(np.broadcast_to(self._positions[0], shape).copy(), zeros, zeros.copy())
        segment = np.searchsorted(self._times, times, "right") - 1
        segment = np.clip(segment, 0, len(self._times) - 2)
        c = self._coefficients[:, segment]
        t = (np.clip(times, first, last) - self._times[segment])[:, None]
        positions, velocities, accelerations = np.zeros((3, *shape))
        for degree in range(len(c) - 1, -1, -1):  # Horner's rule, with both derivatives
            accelerations = accelerations * t + 2.0 * velocities
            velocities = velocities * t + positions
            positions = positions * t + c[degree]
        resting = (times < first) | (times >= last)
        velocities[resting] = accelerations[resting] = 0.0
        positions[times >= last] = self._positions[-1]
        return State(positions, velocities, accelerations)


def _linear(positions: Floats, lengths: Floats) -> Floats:
    """(2, k - 1, n) coefficients of the powers of time."""
    return np.stack((positions[:-1], np.diff(positions, axis=0) / lengths))


def _cubic(positions: Floats, velocities: Floats, t: Floats) -> Floats:
    """(4, k - 1, n) coefficients of the powers of time."""
    delta, begin, end = np.diff(positions, axis=0), velocities[:-1], velocities[1:]
    return np.stack(
        (
            positions[:-1],
            begin,
            3.0 * delta / t**2 - (2.0 * begin + end) / t,
            -2.0 * delta / t**3 + (begin + end) / t**2,
        )
    )


def _quintic(positions: Floats, velocities: Floats, accelerations: Floats, t: Floats) -> Floats:
    """(6, k - 1, n) coefficients of the powers of time."""
    delta = np.diff(positions, axis=0)
    v0, v1 = velocities[:-1], velocities[1:]
    a0, a1 = accelerations[:-1], accelerations[1:]
    return np.stack(
        (
            positions[:-1],
            v0,
            a0 / 2.0,
            (20.0 * delta - (8.0 * v1 + 12.0 * v0) * t - (3.0 * a0 - a1) * t**2) / (2.0 * t**3),
            (-30.0 * delta + (14.0 * v1 + 16.0 * v0) * t + (3.0 * a0 - 2.0 * a1) * t**2)
            / (2.0 * t**4),
            (12.0 * delta - 6.0 * (v1 + v0) * t - (a0 - a1) * t**2) / (2.0 * t**5),
        )
    )


class InvalidTrajectory(ValueError):
    """Invalid points of a trajectory.

    Args:
        problem: the problem in words.
        point: index of the point; None: the names of the joints.
        field: the part of the point, as in trajectory_msgs/JointTrajectoryPoint.
        found: the value there.
        expected: the expectation there.
    """

    def __init__(
        self, problem: str, *, point: int | None, field: str, found: object, expected: str
    ) -> None:
        self.problem, self.point, self.field = problem, point, field
        self.found, self.expected = found, expected
        place = field if point is None else f"point {point}: {field}"
        super().__init__(f"{place}: {problem}; found {found}; expected {expected}")


class TrajectoryPoint(NamedTuple):
    """One point: time [s] after the start, and per joint positions [rad or m], velocities and accelerations.

    Velocities and accelerations are empty if they are not given.
    """

    time: float
    positions: Sequence[float]
    velocities: Sequence[float] = ()
    accelerations: Sequence[float] = ()


@dataclass(frozen=True)
class JointTrajectory:
    """A motion of n joints through k points, at rest after the last one.

    Between two points, positions are linear in time; cubic polynomials with velocities; quintic ones with
    accelerations as well. Before the first point the joints rest there; see `after`.

    Attributes:
        names: (n) names of the joints.
        times: (k,) after the start of the motion [s], increasing.
        positions: (k, n) [rad or m].
        velocities: (k, n) [rad/s or m/s]; None: linear motion.
        accelerations: (k, n) [rad/s^2 or m/s^2]; None: not given.
    """

    names: tuple[str, ...]
    times: Floats
    positions: Floats
    velocities: Floats | None = None
    accelerations: Floats | None = None

    @classmethod
    def through(cls, names: Sequence[str], points: Sequence[TrajectoryPoint]) -> JointTrajectory:
        """Return the motion through these points.

        Raises:
            InvalidTrajectory: if a number is missing, superfluous or not finite, or time does not increase.
        """
        _check_names(names)
        if not points:
            raise InvalidTrajectory(
                "there are no points", point=None, field="points", found="none", expected="some"
            )
        _check_times(points)
        positions = _rows("positions", [point.positions for point in points], len(names))
        assert positions is not None
        velocities = _rows("velocities", [point.velocities for point in points], len(names), True)
        accelerations = _rows(
            "accelerations", [point.accelerations for point in points], len(names), True
        )
        if accelerations is not None and velocities is None:
            raise InvalidTrajectory(
                "there are accelerations without velocities",
                point=0,
                field="accelerations",
                found=list(points[0].accelerations),
                expected="velocities as well, or neither",
            )
        times = np.array([point.time for point in points], np.float64)
        return cls(tuple(names), times, positions, velocities, accelerations)

    @property
    def duration(self) -> float:
        """Time of the last point [s]."""
        return float(self.times[-1])

    @property
    def ends_in_motion(self) -> bool:
        """Whether the last point has a velocity, so that the joints stop there abruptly."""
        return self.velocities is not None and bool(np.any(np.abs(self.velocities[-1]) > 1e-9))

    def after(self, state: State, time: float) -> JointTrajectory:
        """Return the motion from a state to the first later point, and on from there.

        Args:
            state: state of the joints at that time, each (n,).
            time: after the start of the motion [s]; may be negative.
        """
        later = self.times > time
        if not later.any():
            return self
        return JointTrajectory(
            self.names,
            np.concatenate(([time], self.times[later])),
            np.vstack((state.positions, self.positions[later])),
            None
            if self.velocities is None
            else np.vstack((state.velocities, self.velocities[later])),
            None
            if self.accelerations is None
            else np.vstack((state.accelerations, self.accelerations[later])),
        )

    def sample(self, times: Floats) -> State:
        """Return the motion at times (m,) after its start [s], each (m, n)."""
        return self._polynomials.sample(np.asarray(times, np.float64))

    def at(self, time: float) -> State:
        """Return the motion at a time after its start [s], each (n,)."""
        return self._polynomials.at(time)

    @cached_property
    def _polynomials(self) -> Polynomials:
        return Polynomials(self.times, self.positions, self.velocities, self.accelerations)


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if not name or names.count(name) > 1:
            raise InvalidTrajectory(
                "a joint has no name" if not name else "a joint is named twice",
                point=None,
                field="joint_names",
                found=name or list(names),
                expected="each joint once",
            )
    if not names:
        raise InvalidTrajectory(
            "no joint is named", point=None, field="joint_names", found="none", expected="some"
        )


def _check_times(points: Sequence[TrajectoryPoint]) -> None:
    before = -1.0
    for i, point in enumerate(points):
        if not np.isfinite(point.time) or point.time < 0.0:
            problem, expected = "this is no time after the start", "seconds, at least 0"
        elif point.time <= before:
            problem, expected = "time does not increase", f"more than {before:g} s"
        else:
            before = point.time
            continue
        raise InvalidTrajectory(
            problem, point=i, field="time_from_start", found=point.time, expected=expected
        )


def _rows(
    field: str, rows: Sequence[Sequence[float]], count: int, optional: bool = False
) -> Floats | None:
    """The numbers of all points as (k, n); None if they are optional and no point has them."""
    if optional and not any(len(row) for row in rows):
        return None
    for i, row in enumerate(rows):
        if len(row) != count:
            raise InvalidTrajectory(
                "there are not as many numbers as joints",
                point=i,
                field=field,
                found=f"{len(row)} numbers",
                expected=f"{count}, in the order of joint_names",
            )
        if not np.isfinite(row).all():
            raise InvalidTrajectory(
                "a number is not finite",
                point=i,
                field=field,
                found=list(row),
                expected="finite numbers",
            )
    return np.array(rows, np.float64)


_MAX_PERIOD_S = 0.01
"""Maximum time between the points of a motion without velocities [s]."""


def concatenate(motions: Sequence[JointTrajectory]) -> JointTrajectory:
    """Concatenate motions of joints; each starts at the end of the previous one.

    Joints that a motion does not move rest meanwhile.

    Args:
        motions: at least one; each ends at rest.
    """
    names = tuple(dict.fromkeys(name for motion in motions for name in motion.names))
    now = np.zeros(len(names))
    for motion in reversed(motions):
        now[_indices(names, motion)] = motion.positions[0]
    times, rows = [0.0], [np.stack((now, np.zeros_like(now), np.zeros_like(now)))]
    for motion in motions:
        at, start_time = _indices(names, motion), times[-1]
        for time, state in zip(*_sampled(motion), strict=True):
            row = np.stack((now, np.zeros_like(now), np.zeros_like(now)))
            row[:, at] = state
            times.append(start_time + time)
            rows.append(row)
        now = rows[-1][0]
    points = np.stack(rows, axis=1)
    return JointTrajectory(names, np.array(times), points[0], points[1], points[2])


def _indices(names: Sequence[str], motion: JointTrajectory) -> list[int]:
    return [names.index(name) for name in motion.names]


def _sampled(motion: JointTrajectory) -> tuple[list[float], list[Floats]]:
    """Times after 0 [s], and positions, velocities and accelerations at these times, each (3, n)."""
    times = motion.times
    if motion.velocities is None and motion.duration > 0.0:
        count = int(np.ceil(motion.duration / _MAX_PERIOD_S)) + 1
        times = np.union1d(times, np.linspace(0.0, motion.duration, count))
    states = np.array(motion.sample(times))
    states[1:, -1] = 0.0  # it ends at rest
    if motion.accelerations is None and len(times) > 1:
        states[2] = np.gradient(states[1], times, axis=0)
        states[2, [0, -1]] = 0.0
    later = times > 0.0
    return times[later].tolist(), list(states.transpose(1, 0, 2)[later])
