"""Executes a plan on a robot piece by piece, and monitors the robot's motion."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from hetwin_commanding.commanded import Group
from hetwin_commanding.consistency.agreement import Agreement, ExpectedMotion, Figures
from hetwin_commanding.consistency.live_robot import HeardJoints, Sample
from hetwin_commanding.link.base import BaseHeard, control, deviates, is_there, seen_from
from hetwin_commanding.link.pieces import STOP_S, Pace, Piece, pieces_of, state_at
from hetwin_commanding.plan import Plan
from hetwin_commanding.send import Result
from hetwin_suite.model import Floats
from hetwin_suite.robot import Chain

PERIOD_S = 0.1
"""Period between two pieces [s]."""
PATIENCE_S = 1.2 * PERIOD_S
"""Duration of a deviation that is tolerated; the next piece corrects one that arrives late [s]."""
LOST_S = 0.4
"""Time without messages after which a robot is lost [s]."""
_HELD_UP_S = 0.1
"""Time between two looks above which this process did not run, so that messages may wait unread [s]."""
REACHED = 0.01
"""Tolerance for a joint at its goal [rad or m]."""
_SETTLE_S = 3.0
"""Time after the end of the plan by which the robot must be at its goal [s]."""
_STILL = 0.002
"""Motion within `_STILL_S` below which a joint is at rest [rad or m]."""
_STILL_S = 0.1
_LOOK_S = 0.005
_DRIVE_S = 0.05
"""Period between two velocities of the base [s]."""


class Sender(Protocol):
    """Sends pieces to a robot, and receives its state."""

    heard: HeardJoints
    base: BaseHeard

    def drive(self, forward: float, turn: float) -> None:
        """Send a velocity of the base [m/s, rad/s]."""

    def send(self, pieces: Sequence[Piece]) -> None:
        """Send pieces that start on arrival."""

    def end(self) -> None:
        """Block all further sending."""


class Clock:
    """This machine's monotonic clock."""

    def now(self) -> float:
        """Return its time [s]."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Sleep for a time [s]."""
        time.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Tip:
    """A link whose position is compared: its chain, and the commanded or held joints of the chain [rad or m]."""

    chain: Chain
    held: dict[str, float]

    def place(self, positions: dict[str, float]) -> Floats:
        """Return (3,) the position of the link in the frame of the robot's root [m]."""
        known = {**self.held, **positions}
        return self.chain.place(np.array([known[name] for name in self.chain.joints])).position


class Execution:
    """The execution of one plan.

    Args:
        plan: rehearsed plan.
        groups: groups of joints with their controllers.
        sender: link to the robot.
        limits: (n,) maximum deviations of the plan's joints [rad or m].
        tip: link whose position is compared; None: none.
        stop: event that stops the robot when set.
        clock: clock of all times.
        base_speed: velocity limits of the base [m/s and rad/s].
    """

    def __init__(
        self,
        plan: Plan,
        groups: Sequence[Group],
        sender: Sender,
        limits: Floats,
        tip: Tip | None,
        stop: threading.Event,
        clock: Clock | None = None,
        base_speed: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self._base_speed = base_speed
        self._driven_at = -np.inf
        self._clock = clock or Clock()
        self._plan, self._groups, self._sender, self._tip = plan, tuple(groups), sender, tip
        compared = plan.moved - plan.presses  # fingers stop at contact
        self._moved = [i for i, name in enumerate(plan.names) if name in compared]
        self._agreement = Agreement(limits[self._moved], PATIENCE_S)
        self._figures = Figures([plan.names[i] for i in self._moved])
        self._stop = stop
        self._sent: list[tuple[float, Pace]] = []
        self._stopped_at: float | None = None
        self._looked = self._listening_since = -np.inf
        self._recent: list[Sample] = []

    def run(self) -> Result:
        """Execute the plan, and return its result; nothing is sent after that."""
        try:
            self._begin()
            while True:
                result = self._look()
                if result is not None:
                    return result
                self._clock.sleep(_LOOK_S)
        finally:
            self._halt()
            self._sender.end()

    @property
    def consistency(self) -> dict[str, Any] | None:
        """Figures of the agreement of robot and plan."""
        return self._figures.to_json()

    @property
    def sent(self) -> bool:
        """Whether anything was sent."""
        return bool(self._sent)

    def _begin(self) -> None:
        if not self._stop.is_set():
            self._sender.heard.take()
            self._send(Pace(0.0), self._clock.now())

    def _halt(self) -> None:
        """Stop the robot at once, along the planned path, unless it is at rest."""
        if self._stopped_at is not None:
            return
        self._stopped_at = now = self._clock.now()
        if self._plan.drives and self._sent:
            self._sender.drive(0.0, 0.0)
        if self._sent:
            begin, pace = self._sent[-1]
            if pace.at(now - begin).time < self._plan.duration and now - begin < pace.end:
                self._send(pace.stopping(now - begin), now)

    def _send(self, pace: Pace, now: float) -> None:
        self._sent.append((now, pace))
        self._sender.send(pieces_of(self._plan, pace, self._groups))

    def _look(self) -> Result | None:
        """Send the next piece if the robot follows; return the result once there is one."""
        moved = [self._plan.names[i] for i in self._moved]
        if self._stop.is_set():
            self._halt()
            return self._stopped()
        self._note_interruption(self._clock.now())
        if moved and self._is_lost(self._sender.heard.silence(moved, self._clock.now())):
            return Result.LOST
        if self._compare():
            return Result.DEVIATED
        if self._plan.drives and (result := self._drive()) is not None:
            return result
        now = self._clock.now()
        begin, pace = self._sent[-1]
        if pace.at(pace.go).time < self._plan.duration:
            if now - begin >= PERIOD_S:
                self._send(pace.next(now - begin), now)
            return None
        over = now - begin - pace.go
        if over > 0.0 and self._is_there():
            return Result.REACHED
        return Result.DEVIATED if over > _SETTLE_S else None

    def _note_interruption(self, now: float) -> None:
        if now - self._looked > _HELD_UP_S:
            self._listening_since = now
        self._looked = now

    def _is_lost(self, silence: float) -> bool:
        """Whether a robot is lost that has sent nothing for a time [s].

        While this process is held up, it reads nothing: it waits as long again, once, before it blames the robot.
        """
        listened = self._clock.now() - self._listening_since
        return silence > LOST_S and (listened > LOST_S or silence > 3.0 * LOST_S)

    def _drive(self) -> Result | None:
        """Keep the base on its path; return a result if it deviates or is lost."""
        now, fix = self._clock.now(), self._sender.base.fix()
        if fix is None or self._is_lost(now - fix.arrived):
            return Result.LOST
        begin, pace = self._sent[-1]
        progress = pace.at(now - begin)
        wanted = self._plan.base_at(progress.time)
        if deviates(wanted.pose, fix.pose):
            self._figures.deviations.append(now - self._sent[0][0])
            return Result.DEVIATED
        if now - self._driven_at >= _DRIVE_S:
            self._driven_at = now
            apart = seen_from(fix.pose, wanted.pose)
            self._figures.add(
                np.full(len(self._moved), np.nan),
                base=(float(np.hypot(apart.x, apart.y)), abs(apart.yaw)),
            )
            self._sender.drive(*control(wanted, progress.pace, fix.pose, self._base_speed))
        return None

    def _stopped(self) -> Result | None:
        """Return the result of a requested stop once the robot is at rest."""
        assert self._stopped_at is not None
        self._compare()
        if self._clock.now() - self._stopped_at < STOP_S + 2.0 * _STILL_S:
            return None
        return Result.STOPPED

    def _compare(self) -> bool:
        """Compare the received states with the plan; return whether the robot deviates."""
        for sample in self._sender.heard.take():
            measured = np.array(
                [sample.positions.get(self._plan.names[i], np.nan) for i in self._moved]
            )
            if np.isnan(measured).all():
                continue
            self._recent = [
                *(s for s in self._recent if s.measured >= sample.measured - 2.0 * _STILL_S),
                sample,
            ]
            found = self._agreement.compare(sample.measured, measured, self._expected)
            self._figures.add(found.joints, found.lag, self._apart(sample, found.lag))
            if found.changed and found.deviates:
                begin = self._sent[0][0] if self._sent else sample.measured
                self._figures.deviations.append(sample.measured - begin)
                return True
        return False

    def _expected(self, at: float) -> ExpectedMotion:
        state = self._commanded(at)
        return ExpectedMotion(state.positions[self._moved], state.velocities[self._moved])

    def _commanded(self, at: float) -> Any:
        piece = next(((t, p) for t, p in reversed(self._sent) if t <= at), None)
        return (
            self._plan.at(-1.0) if piece is None else state_at(self._plan, piece[1], at - piece[0])
        )

    def _apart(self, sample: Sample, lag: float) -> float | None:
        """Return the distance of the tip from its planned position [m]."""
        if self._tip is None or not set(self._plan.names) <= set(sample.positions):
            return None
        planned = self._commanded(sample.measured - lag).positions.tolist()
        wanted = self._tip.place(dict(zip(self._plan.names, planned, strict=True)))
        expected_tip = self._tip.place({name: sample.positions[name] for name in self._plan.names})
        return float(np.linalg.norm(expected_tip - wanted))

    def _is_there(self) -> bool:
        """Whether the robot is at rest at its goal."""
        if self._plan.drives:
            fix = self._sender.base.fix()
            goal_pose = self._plan.base_at(self._plan.duration + 1.0).pose
            if fix is None or not is_there(goal_pose, fix.pose):
                return False
        if not self._moved:
            return True
        if len(self._recent) < 2:
            return False
        last = self._recent[-1]
        earlier = [s for s in self._recent if s.measured <= last.measured - _STILL_S]
        if not earlier:
            return False
        goal = self._plan.at(self._plan.duration + 1.0).positions
        for i in self._moved:
            name = self._plan.names[i]
            here, before = last.positions.get(name), earlier[-1].positions.get(name)
            if here is None or before is None:
                return False
            if abs(here - goal[i]) > REACHED or abs(here - before) > _STILL:
                return False
        return True
