"""A controller's execution of the trajectories that it gets, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory, State

Floats = NDArray[np.float64]


class _Running(NamedTuple):
    trajectory: JointTrajectory
    begin: float
    joints: NDArray[np.intp]
    """For each joint of the trajectory, its index in the execution."""


class TrajectoryExecution:
    """The commanded motion of joints: at rest until a trajectory comes, and after its end.

    A trajectory takes its joints over at once, in the middle of a motion too, from the state that was commanded then;
    other joints continue.

    Args:
        names: of the joints.
        positions: (n,) where they rest at first [rad or m].
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
        """Move along a trajectory from now on.

        Args:
            trajectory: of some of the joints.
            begin: time of the beginning of the trajectory [s]; before `now`, the part before is left out.
            now: the present time [s].

        Raises:
            KeyError: if a joint of the trajectory is not one of these.
        """
        index = {name: i for i, name in enumerate(self._names)}
        joints = np.array([index[name] for name in trajectory.names], np.intp)
        state = self.at(now)
        present = State(*(values[joints] for values in state))
        self._held = state.positions  # of joints that are at rest; those that move are overwritten
        motion = trajectory.after(present, now - begin)
        running = _Running(motion, begin, joints)
        self._running = [r for r in self._running if not set(r.joints) <= set(joints)]
        self._running.append(running)

    def stop(self, names: Sequence[str], now: float) -> None:
        """Let joints rest at the positions commanded at a time [s]; the others go on."""
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
        for running in self._running:  # the later one holds for joints of both
            state, joints = running.trajectory.at(time - running.begin), running.joints
            positions[joints] = state.positions
            velocities[joints] = state.velocities
            accelerations[joints] = state.accelerations
        return State(positions, velocities, accelerations)
