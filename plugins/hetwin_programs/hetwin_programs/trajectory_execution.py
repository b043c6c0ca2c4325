"""A controller's execution of successive trajectories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.robot import JointTrajectory
from hetwin_suite.source import MotionState as State

Floats = NDArray[np.float64]


class _Running(NamedTuple):
    trajectory: JointTrajectory
    begin: float
    joints: NDArray[np.intp]
    """For each joint of the trajectory, its index in the execution."""


class TrajectoryExecution:
    """The commanded motion of joints: at rest before the first trajectory, and after the end of the last.

    A trajectory takes its joints over at once, even during a motion, from the state commanded at that time; other
    joints continue.

    Args:
        names: names of the joints.
        positions: (n,) initial positions at rest [rad or m].
    """

    def __init__(self, names: Sequence[str], positions: Floats) -> None:
        self._names = tuple(names)
        self._held = np.array(positions, np.float64)
        self._running: list[_Running] = []

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self._names

    def follow(self, trajectory: JointTrajectory, begin: float, now: float) -> None:
        """Follow a trajectory from now on.

        Args:
            trajectory: of some of the joints.
            begin: start time of the trajectory [s]; if it is before `now`, the earlier part is skipped.
            now: the current time [s].

        Raises:
            KeyError: if a joint of the trajectory is not one of these.
        """
        index = {name: i for i, name in enumerate(self._names)}
        joints = np.array([index[name] for name in trajectory.names], np.intp)
        state = self.at(now)
        present = State(*(values[joints] for values in state))
        self._held = state.positions  # used for joints at rest; moving ones override it
        motion = trajectory.after(present, now - begin)
        running = _Running(motion, begin, joints)
        self._running = [r for r in self._running if not set(r.joints) <= set(joints)]
        self._running.append(running)

    def stop(self, names: Sequence[str], now: float) -> None:
        """Stop joints at the positions commanded at a time [s]; the others continue."""
        joints = [i for i, name in enumerate(self._names) if name in names]
        if not joints:
            return
        positions = self.at(now).positions[joints]
        stopped = JointTrajectory(
            tuple(self._names[i] for i in joints), np.zeros(1), positions[None]
        )
        running = _Running(stopped, now, np.array(joints, np.intp))
        self._running = [r for r in self._running if not set(r.joints) <= set(joints)]
        self._running.append(running)

    def at(self, time: float) -> State:
        """Return the commanded state at a time [s], each (n,)."""
        positions = self._held.copy()
        velocities, accelerations = np.zeros_like(positions), np.zeros_like(positions)
        for running in self._running:  # later ones override earlier ones
            state, joints = running.trajectory.at(time - running.begin), running.joints
            positions[joints] = state.positions
            velocities[joints] = state.velocities
            accelerations[joints] = state.accelerations
        return State(positions, velocities, accelerations)
