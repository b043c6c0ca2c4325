"""A robot in virtual time: the stand-in's controllers, faults and noise without its physics, processes and waiting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hetwin_commanding.consistency.live_robot import HeardJoints
from hetwin_commanding.link.base import BaseHeard
from hetwin_commanding.link.execution import Clock
from hetwin_commanding.link.pieces import Piece
from hetwin_commanding.obeying.faults import Fault, FaultKind, Faulty
from hetwin_commanding.obeying.mismatch import drawn
from hetwin_commanding.obeying.response import Response
from hetwin_commanding.plan import Plan
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from hetwin_programs.trajectory_execution import TrajectoryExecution
from model_nodes.main_physics.sources.commanded_base import TwistCommand
from model_nodes.main_physics.sources.part import JointMotion

PERIOD = 0.0025
STATES_EVERY = 4
STILL = TwistCommand(0.0, 0.0, 0.0)


class VirtualTime(Clock):
    """A clock that stands still until someone sleeps."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.at_each_step: list[Callable[[float], None]] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        end = self.time + seconds
        while self.time < end - 1e-9:
            self.time += PERIOD
            for step in self.at_each_step:
                step(self.time)


class VirtualRobot:
    """Takes pieces some milliseconds after they were sent, and moves as the stand-in does; `stops` stop its joints.

    Attributes:
        heard: what it says.
        track: (time, positions) of every step.
        pieces: (time, piece) of everything that was sent to it.
    """

    def __init__(
        self,
        clock: VirtualTime,
        plan: Plan,
        seed: int = 0,
        fault: Fault | None = None,
        stops: Mapping[str, float] | None = None,
    ) -> None:
        limits = [(stops or {}).get(name, np.inf) for name in plan.names]
        self._stops = np.array(limits)
        self.heard, self._clock, self._names = HeardJoints(), clock, plan.names
        self.base = BaseHeard(plan.place)
        self._mismatch = drawn(seed)
        self._random = np.random.default_rng(seed)
        self._controllers = TrajectoryExecution(plan.names, plan.start)
        self._response = Response(
            self._mismatch.bandwidth, self._mismatch.feed_forward, PERIOD, plan.start
        )
        self._faulty = Faulty(fault, np.ones(len(plan.names), np.bool_))
        self._under_way: list[tuple[float, Piece]] = []
        self._steps = 0
        self.alive, self.ended = True, False
        self.track: list[tuple[float, np.ndarray]] = []
        self.pieces: list[tuple[float, Piece]] = []
        self.moving_since: float | None = None
        clock.at_each_step.append(self._step)
        for _ in range(10):
            clock.sleep(0.01)

    def send(self, pieces: Sequence[Piece]) -> None:
        assert not self.ended
        for piece in pieces:
            self.pieces.append((self._clock.now(), piece))
            arrives = self._clock.now() + self._random.uniform(0.001, 0.004)
            self._under_way.append((arrives, piece))

    def drive(self, forward: float, turn: float) -> None:
        raise AssertionError("this robot has no base")

    def end(self) -> None:
        self.ended = True

    def _step(self, now: float) -> None:
        if not self.alive:
            return
        for arrives, piece in [one for one in self._under_way if one[0] <= now]:
            motion = JointTrajectory(piece.joints, piece.times, piece.positions, piece.velocities)
            self._controllers.follow(motion, now, now)
            self._under_way.remove((arrives, piece))
        state = self._controllers.at(now)
        if state.velocities.any():
            self._faulty.moves(now)
            self.moving_since = self.moving_since or now
        wanted = JointMotion(state.positions, state.velocities, state.accelerations, np.zeros(0))
        spoiled, _ = self._faulty.spoiled(wanted, STILL, now)
        motion = self._response.to(spoiled)
        np.minimum(motion.positions, self._stops, out=motion.positions)
        self.track.append((now, motion.positions.copy()))
        self._steps += 1
        if self._steps % STATES_EVERY == 0 and not self._faulty.is_now(FaultKind.SILENCE, now):
            noise = self._mismatch.position_noise * self._random.standard_normal(len(self._names))
            arrived = now + self._random.exponential(0.001)
            self.heard.add(self._names, (motion.positions + noise).tolist(), now + 5.0e8, arrived)
