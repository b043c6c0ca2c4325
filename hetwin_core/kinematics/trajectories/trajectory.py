"""A motion of some joints through points, checked and sampled as ros2_control's joint_trajectory_controller does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.trajectories.polynomials import Polynomials, State

Floats = NDArray[np.float64]


class InvalidTrajectory(ValueError):
    """Points that are no trajectory.

    Args:
        problem: what is wrong, in words.
        point: index of the point; None: the names of the joints.
        field: the part of the point, as trajectory_msgs/JointTrajectoryPoint names it.
        found: what was found there.
        expected: what was expected there.
    """

    def __init__(
        self, problem: str, *, point: int | None, field: str, found: object, expected: str
    ) -> None:
        self.problem, self.point, self.field = problem, point, field
        self.found, self.expected = found, expected
        place = field if point is None else f"point {point}: {field}"
        super().__init__(f"{place}: {problem}; found {found}; expected {expected}")


class TrajectoryPoint(NamedTuple):
    """One point: time [s] after the beginning, and per joint positions [rad or m], velocities and accelerations.

    Without velocities, or without accelerations, these are empty.
    """

    time: float
    positions: Sequence[float]
    velocities: Sequence[float] = ()
    accelerations: Sequence[float] = ()


@dataclass(frozen=True)
class JointTrajectory:
    """A motion of n joints through k points, at rest at the last one from then on.

    Between two points the positions are linear in time; cubic polynomials, if there are velocities; quintic ones, if
    there are accelerations as well. Before the first point the joints rest there; see `after`.

    Attributes:
        names: (n) names of the joints.
        times: (k,) after the beginning of the motion [s], increasing.
        positions: (k, n) [rad or m].
        velocities: (k, n) [rad/s or m/s]; None: linear motion.
        accelerations: (k, n) [rad/s^2 or m/s^2]; None: they are not given.
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
            InvalidTrajectory: if a number is missing, too many or not finite, or time does not increase.
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
        """Whether the last point has a velocity, so that the joints stop there at once."""
        return self.velocities is not None and bool(np.any(np.abs(self.velocities[-1]) > 1e-9))

    def after(self, state: State, time: float) -> JointTrajectory:
        """Return the motion that leads from a state to the first point that is later, and on from there.

        Args:
            state: of the joints at that time, each (n,).
            time: after the beginning of the motion [s]; may be negative.
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
        """Return the motion at times (m,) after its beginning [s], each (m, n)."""
        return self._polynomials.sample(np.asarray(times, np.float64))

    def at(self, time: float) -> State:
        """Return the motion at a time after its beginning [s], each (n,)."""
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
            problem, expected = "this is no time after the beginning", "seconds, at least 0"
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
    """The numbers of all points as (k, n); None if they are optional and no point has any."""
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
