"""Source of a robot's motion: parts that follow each other or start at given times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.saving.plain import Plain, StateError
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.sources.part import (
    BaseMotion,
    JointMotion,
    JointReading,
    Part,
    Placement,
    SceneStart,
)
from model_nodes.main_physics.world.description import Body

_MIN_DURATION_NS = 1_000_000
"""Minimum duration of a plan."""
_MIN_CLOSING_SHARE = 0.1
"""Share of the stroke from open to closed that fingers must move to count as closing."""
_STATE = ("_begun", "_begin_ns", "_last_ns", "_now", "_held", "_columns", "limited", "_said")
"""Attributes that change during a run."""


class Plan:
    """Moves a robot by parts.

    A part takes its joints over from the previous one in their current state; joints of no part rest. A plan can also
    take the robot over in the middle of a run, see `take_over`.

    Args:
        parts: the parts, in the order of their starts.
        hands: hands of the robot, whose fingers stop at objects where no recording contains their final positions.
        lasting_ns: time for which the run continues after the end of the last part [ns].

    Attributes:
        parts: the parts.
        senses: whether `sense` is called before each step.
        takes_over: whether the plan can take the robot over in the middle of a run.
        limited: joints that must stop at objects from now on.
    """

    def __init__(
        self, parts: Sequence[Part], hands: Sequence[NamedHand] = (), lasting_ns: int = 0
    ) -> None:
        self.parts, self._hands, self._lasting_ns = tuple(parts), hands, lasting_ns
        self.senses = any(part.senses for part in parts)
        self.takes_over = bool(parts) and all(part.takes_over for part in parts)
        self._pose_of: Callable[[str], Floats] | None = None
        self._entities: Mapping[str, Entity] = {}
        self._names: tuple[str, ...] = ()
        self._driven: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._movable = [self._driven for _ in parts]
        self._now: dict[str, JointReading] = {}
        self._held: Floats = np.zeros((2, 0))
        self._columns: list[NDArray[np.intp]] = []
        self._sole_part: Part | None = None
        self._resting: Floats | None = None
        self._begin_ns = self._last_ns = 0
        self._begun = 0
        self.limited: tuple[str, ...] = ()
        self._pressing = [part for part in parts if part.presses]
        self._said: dict[str, int] = {}

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that the parts may move."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.joint_names))

    @property
    def duration_ns(self) -> int | None:
        """End of the run [ns]; None if it is not known in advance."""
        end = latest = 0
        for part in self.parts:
            duration = part.duration_ns
            if duration is None:
                return None
            end = (end if part.at_ns is None else part.at_ns) + duration
            latest = max(latest, end)
        return max(latest + self._lasting_ns, _MIN_DURATION_NS)

    @property
    def start_ns(self) -> int | None:
        """Start of the recording by the robot's clock [ns since the epoch]; None unless it is the only part."""
        return self.parts[0].start_ns if len(self.parts) == 1 else None

    @property
    def notes(self) -> list[str]:
        """Notes for the user."""
        return [note for part in self.parts for note in part.notes]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings in recordings before the run."""
        return tuple(finding for part in self.parts for finding in part.findings)

    def set_scene_access(
        self, pose_of: Callable[[str], Floats], entities: Mapping[str, Entity]
    ) -> None:
        """Give the plan access to the main model's entities; called before the first step.

        Args:
            pose_of: returns the pose of an entity, (13,) as in `scene.values`.
            entities: the entities by name.
        """
        self._pose_of, self._entities = pose_of, entities

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them parts may move.

        Args:
            joints: names of the robot's joints.
            period_ns: usual period between calls of `motion` [ns].
            resting: name -> position of joints before anything moves them [rad or m]; 0 for others.

        Raises:
            BadInput: if a part moves a joint that the robot does not have, or no joint.
        """
        start = resting or {}
        self._names = tuple(joints)
        self._movable = [part.bind(joints, period_ns, start) for part in self.parts]
        self._driven = np.any([np.zeros(len(joints), np.bool_), *self._movable], axis=0)
        self._now = {name: JointReading(start.get(name, 0.0)) for name in joints}
        self._hold()
        return self._driven

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Select the motion of the robot's base: that of the first recording, else of the first part.

        Raises:
            BadInput: if that part does not contain the base's motion.
        """
        self._driver.bind_base(robot, base, period_ns)

    def base(self, time_ns: int) -> BaseMotion:
        """Return the motion of the base at a time; see `Part.base`."""
        return self._driver.base(time_ns)

    @property
    def _driver(self) -> Part:
        """The part that moves the base."""
        return next((part for part in self.parts if part.is_recorded), self.parts[0])

    def take_over(self, time_ns: int, joints: Mapping[str, JointReading]) -> None:
        """Start at a time of the run, from the joints' current state; called after `bind`.

        Args:
            time_ns: time of the run [ns]; `motion` is not called for earlier times.
            joints: name -> state of the joints at that time.
        """
        self._begin_ns = self._last_ns = time_ns
        self._now |= {name: joints[name] for name in self._names if name in joints}
        self._hold()

    def _hold(self) -> None:
        """Store the positions and efforts of joints that no part moves yet."""
        now = [self._now[name] for name in self._names]
        self._held = np.array(
            [[reading.position for reading in now], [reading.effort for reading in now]]
        )

    def start(self) -> bool:
        """Prepare the first step; returns whether the robot may have moved since the plan was bound."""
        started = [part.start() for part in self.parts]
        return any(started)

    def sense(
        self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]
    ) -> Placement | None:
        """Let the parts read the robot's sensors; see `Part.sense`."""
        placements = [part.sense(time_ns, joints, events) for part in self.parts if part.senses]
        return next((placement for placement in placements if placement is not None), None)

    def motion(self, time_ns: int) -> JointMotion:
        """Return the motion of the joints at a time, which must not decrease; joints that no part moves rest."""
        if self._begun < len(self.parts):
            self._start_due_parts(time_ns)
        self._last_ns = max(self._last_ns, time_ns)
        if self._sole_part is None:
            motion = self._motion_at(time_ns)
        else:
            motion = self._sole_part.motion(time_ns)
            if self._resting is not None:  # a part returns 0 for joints that it does not move
                q, v, a = motion.positions, motion.velocities, motion.accelerations
                motion = JointMotion(q + self._resting, v, a, motion.efforts)
        for part in self._pressing:
            self._limit(part.limited)
        return motion

    def motions(self, times_ns: Sequence[int]) -> Sequence[JointMotion] | None:
        """Return the motion at each of some times; None if joints may become limited, or several parts move joints."""
        is_single = self._sole_part is not None and self._resting is None and not self._pressing
        if not is_single or self._sole_part is None or self._begun < len(self.parts):
            return None
        self._last_ns = max(self._last_ns, times_ns[-1])
        return self._sole_part.motions(times_ns)

    def _limit(self, joints: Iterable[str]) -> None:
        new = tuple(name for name in joints if name not in self.limited)
        if new:
            self.limited += new

    def events(self, time_ns: int) -> list[Event]:
        """Return the parts' events since the last call, up to and including a time, in chronological order."""
        if self._begun < len(self.parts):
            self._start_due_parts(time_ns)
        if len(self.parts) == 1:
            return self.parts[0].events(time_ns) if self._begun else []
        events = [event for part in self.parts[: self._begun] for event in part.events(time_ns)]
        return [self._numbered(event) for event in sorted(events, key=lambda event: event.time_ns)]

    def _numbered(self, event: Event) -> Event:
        number = self._said.get(event.source, 0)
        self._said[event.source] = number + 1
        return replace(event, sequence=number)

    def ended(self, time_ns: int) -> bool:
        """Whether all parts are over and the run has continued for `lasting_ns` since."""
        if self._begun < len(self.parts):
            return False
        for part in self.parts:  # noqa: SIM110 (a loop is faster, in each step)
            if not part.ended(time_ns - self._lasting_ns):
                return False
        return True

    @property
    def quiet_ns(self) -> int:
        """Time before which `events` returns nothing and `ended` is false [ns]."""
        if self._begun < len(self.parts):
            return 0
        return min((part.quiet_ns for part in self.parts), default=0)

    def close(self) -> None:
        """Close the parts' resources."""
        for part in self.parts:
            part.close()

    def _start_due_parts(self, time_ns: int) -> None:
        """Start the parts that are due at a time, in their order."""
        for part in self.parts[self._begun :]:
            begin_ns = self._due_ns(part)
            if begin_ns is None or begin_ns > time_ns:
                return
            if part.needs_scene and self._pose_of is None:
                return  # the world is still being loaded
            now_ns = max(begin_ns, self._last_ns)
            current = self._states_at(now_ns)
            part.begin(begin_ns, now_ns, current, self._scene)
            self._limit(self._closed_by(part, current))
            joints, movable = part.joint_names, self._movable[self._begun].tolist()
            moved = [m and name in joints for m, name in zip(movable, self._names, strict=True)]
            self._columns.append(np.flatnonzero(moved))
            self._begun += 1
            self._find_sole_part()

    def _find_sole_part(self) -> None:
        """Determine whether a single part moves all driven joints, and the rest positions of the others."""
        columns, self._sole_part = self._columns[-1] if self._begun else (), None
        resting = ~self._driven
        if (
            len(columns) == np.count_nonzero(self._driven)
            and np.isnan(self._held[1, resting]).all()
        ):
            self._sole_part = self.parts[self._begun - 1]
            self._resting = np.where(resting, self._held[0], 0.0) if resting.any() else None

    def _due_ns(self, part: Part) -> int | None:
        """The start of a part: its own time, or the end of the previous part."""
        if part.at_ns is not None:
            return max(part.at_ns, self._begin_ns) if part.needs_scene else part.at_ns
        return self.parts[self._begun - 1].end_ns if self._begun else self._begin_ns

    def _scene(self, time: float) -> SceneStart:
        assert self._pose_of is not None  # skills start only when it is known
        now = self._states_at(max(round(time * 1e9), self._last_ns))
        joints = {name: float(state[0]) for name, state in now.items()}
        return SceneStart(time, joints, self._pose_of, self._entities)

    def _states_at(self, time_ns: int) -> dict[str, Floats]:
        """(3,) position, velocity and acceleration of each joint at a time."""
        motion = self._motion_at(time_ns)
        states = np.array([motion.positions, motion.velocities, motion.accelerations]).T
        if time_ns == self._begin_ns and not self._begun:
            states[:, 1] = [self._now[name].velocity for name in self._names]
        return dict(zip(self._names, states, strict=True))

    def _motion_at(self, time_ns: int) -> JointMotion:
        """The motion of the joints at a time; for joints of several started parts the last one counts."""
        positions, efforts = self._held.copy()
        velocities, accelerations = np.zeros((2, len(positions)))
        for part, cols in zip(self.parts[: self._begun], self._columns, strict=True):
            motion = part.motion(time_ns)
            positions[cols], velocities[cols] = motion.positions[cols], motion.velocities[cols]
            accelerations[cols], efforts[cols] = motion.accelerations[cols], motion.efforts[cols]
        return JointMotion(positions, velocities, accelerations, efforts)

    def _closed_by(self, part: Part, current: Mapping[str, Floats]) -> Iterator[str]:
        """Yield the fingers that a part closes although no recording contains their final positions."""
        if part.is_recorded or part.end_ns is None or not self._hands:
            return
        ends = dict(zip(self._names, part.motion(part.end_ns).positions.tolist(), strict=True))
        for hand in self._hands:
            known = hand.opened and hand.closed
            for i, name in enumerate(hand.joints):
                moves = name in part.joint_names
                travel = ends[name] - float(current[name][0]) if moves else 0.0
                stroke = hand.closed[i] - hand.opened[i] if known else travel
                if travel * stroke > _MIN_CLOSING_SHARE * stroke * stroke:
                    yield name

    def save(self) -> Plain:
        """Return the state of the plan, for `restore`.

        Raises:
            Refused: if another process cannot continue from there.
        """
        parts = [part.save() for part in self.parts]
        state = record({name: getattr(self, name) for name in _STATE}, name="plan")
        return {"own": state, "parts": parts}

    def restore(self, saved: Plain) -> None:
        """Continue from the saved state of a bound plan with the same parts.

        Raises:
            Refused: if it is not the state of such a plan.
        """
        state, parts = (saved.get("own"), saved.get("parts")) if isinstance(saved, dict) else (0, 0)
        if not isinstance(parts, list) or len(parts) != len(self.parts):
            raise StateError(f"this is not the state of a plan of {len(self.parts)} steps")
        for part, part_state in zip(self.parts, parts, strict=True):
            part.restore(part_state)
        for name, value in rebuild(
            state, {n: getattr(self, n) for n in _STATE}, name="plan"
        ).items():
            setattr(self, name, value)
        self._find_sole_part()


def start_times(plans: Mapping[str, Plan]) -> dict[str, int]:
    """Return robot -> start of its recording in run time [ns]; live robots start together.

    Raises:
        BadInput: if only some robots are recorded, or recordings were not made at the same time.
    """
    starts = {robot: plan.start_ns for robot, plan in plans.items()}
    live = [robot for robot, start in starts.items() if start is None]
    recorded = {robot: start for robot, start in starts.items() if start is not None}
    if live and recorded:
        raise BadInput(
            "one robot is recorded and another one is not",
            where=f"robots.{live[0]}.source",
            expected="recordings of all robots, or none",
        )
    if not recorded:
        return dict.fromkeys(plans, 0)
    first = min(recorded.values())
    for robot, start in recorded.items():
        for other, other_start in recorded.items():
            end = other_start + (plans[other].duration_ns or 0)
            if start > end:
                raise BadInput(
                    f"this recording begins {(start - end) / 1e9:.3f} s after that of {other} ended, by the clocks of"
                    " the robots",
                    where=f"robots.{robot}.source",
                    expected="recordings of the same time; clock_offset: SECONDS in a source corrects a clock",
                )
    return {robot: start - first for robot, start in recorded.items()}
