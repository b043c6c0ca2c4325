"""A plan as the main model's input: what the robot is going to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.saving.plain import Plain, Unsaveable
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.plan.part import Part
from model_nodes.main_physics.sources.plan.recorded import RecordedPart
from model_nodes.main_physics.sources.source import BaseMotion, JointMotion, JointNow, Source
from model_nodes.main_physics.world.description import Body
from model_nodes.robot_program.facts import HandFacts, RobotFacts
from model_nodes.skills.scene import SkillScene

FactsOf = Callable[[Mapping[str, float]], RobotFacts]
"""Returns what a skill knows of the robot, whose joints are at these positions by name [rad or m]."""

_LEAST_SHARE = 0.1
"""Fingers that go less than this share of their way from open to closed do not close."""
_STATE = ("_begun", "_begin_ns", "_last_ns", "_now", "_held", "_columns", "_limited", "_said")
"""Attributes that change during a run."""


class PlanSource(Source):
    """Moves the joints by the steps of a plan, one after the other, or each at its time.

    A step takes its joints over from the one before it, from the state in which they are; joints of no step rest. It
    can take the robot over in the middle of a run, see `take_over`.

    Args:
        parts: the steps.
        facts_of: of the robot.
        lasting_ns: how long the run goes on when the last step is over [ns].

    Attributes:
        notes: notes for the user.
    """

    def __init__(self, parts: Sequence[Part], facts_of: FactsOf, lasting_ns: int = 0) -> None:
        self._parts, self._facts_of, self._lasting_ns = tuple(parts), facts_of, lasting_ns
        self._hands: Mapping[str, HandFacts] = facts_of({}).hands
        self._pose_of: Callable[[str], Floats] | None = None
        self._entities: Mapping[str, Entity] = {}
        self._resting: Mapping[str, float] = {}
        self._names: tuple[str, ...] = ()
        self._driven: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._now: dict[str, JointNow] = {}
        self._held: Floats = np.zeros((2, 0))
        self._columns: list[NDArray[np.intp]] = []
        self._begin_ns = self._last_ns = 0
        self._begun = 0
        self._limited: tuple[str, ...] = ()
        self._said: dict[str, int] = {}
        self.notes: list[str] = []

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that the steps may move."""
        return tuple(dict.fromkeys(name for part in self._parts for name in part.joints))

    @property
    def duration_ns(self) -> int | None:
        """When the run ends [ns]; None if a skill says that only when it is asked."""
        end = latest = 0
        for part in self._parts:
            lasts = part.duration_ns
            if lasts is None:
                return None
            end = (end if part.at_ns is None else part.at_ns) + lasts
            latest = max(latest, end)
        return max(latest + self._lasting_ns, 1_000_000)

    @property
    def limited(self) -> tuple[str, ...]:
        """Fingers that were told to close, so that they are to stop at what they touch."""
        return self._limited

    @property
    def takes_over(self) -> bool:
        """Return true."""
        return True

    def use_places(self, pose_of: Callable[[str], Floats], entities: Mapping[str, Entity]) -> None:
        """Take note of what says where entities are, and of their shapes."""
        self._pose_of, self._entities = pose_of, entities

    def rest_at(self, positions: Mapping[str, float]) -> None:
        """Take note of where joints are before the first step, by name [rad or m]."""
        self._resting = dict(positions)

    def bind(self, joints: Sequence[str], period_ns: int) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them steps may move.

        Raises:
            BadInput: if a step moves a joint that the robot does not have.
        """
        for part in self._parts:
            part.bind(joints, period_ns)
        self._names = tuple(joints)
        self._now = {name: JointNow(self._resting.get(name, 0.0)) for name in joints}
        self.notes += [note for part in self._parts for note in part.notes]
        own = set(self.joint_names)
        self._driven = np.array([name in own for name in joints], np.bool_)
        self._hold()
        return self._driven

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Read how the base moves in the first recording of the plan.

        Raises:
            BadInput: if there is none, or it does not say it.
        """
        recorded = self._recorded
        if recorded is None:
            super().bind_base(robot, base, period_ns)
        else:
            recorded.bind_base(robot, base, period_ns)

    def base(self, time_ns: int) -> BaseMotion:
        """Return the base at a time."""
        recorded = self._recorded
        assert recorded is not None  # it was bound
        return recorded.base(time_ns)

    @property
    def _recorded(self) -> RecordedPart | None:
        return next((part for part in self._parts if isinstance(part, RecordedPart)), None)

    def take_over(self, time_ns: int, joints: Mapping[str, JointNow]) -> None:
        """Begin the first step at a time of the run, from the state in which the joints are then."""
        self._begin_ns = self._last_ns = time_ns
        self._now |= {name: joints[name] for name in self._names if name in joints}
        self._hold()

    def _hold(self) -> None:
        """Take note of where joints rest that no step moves yet, and of their efforts; 0 for those of no step."""
        now = [self._now[name] for name in self._names]
        self._held = np.array([[one.position for one in now], [one.effort for one in now]])
        self._held[0, ~self._driven] = 0.0

    def motion(self, time_ns: int) -> JointMotion:
        """Return the joints at a time."""
        self._go_on(time_ns)
        self._last_ns = max(self._last_ns, time_ns)
        return self._at(time_ns)

    def events(self, time_ns: int) -> list[Event]:
        """Return what the steps say, in the order of time."""
        said = [event for part in self._parts[: self._begun] for event in part.events(time_ns)]
        return [self._numbered(event) for event in sorted(said, key=lambda one: one.time_ns)]

    def _numbered(self, event: Event) -> Event:
        number = self._said.get(event.source, 0)
        self._said[event.source] = number + 1
        return replace(event, sequence=number)

    def ended(self, time_ns: int) -> bool:
        """Whether all steps are over, for as long as the run is to go on then."""
        ends = [part.end_ns for part in self._parts]
        return all(end is not None and time_ns >= end + self._lasting_ns for end in ends)

    def close(self) -> None:
        """Close the recordings."""
        for part in self._parts:
            part.close()

    def _go_on(self, time_ns: int) -> None:
        """Begin the steps that are due at a time, in their order."""
        for part in self._parts[self._begun :]:
            begin_ns = self._due_ns(part)
            if begin_ns is None or begin_ns > time_ns:
                return
            if part.needs_scene and self._pose_of is None:
                return  # the world is still being loaded
            now_ns = max(begin_ns, self._last_ns)
            present = self._present(now_ns)
            part.begin(begin_ns, now_ns, present, self._scene)
            closing = self._closing(part, present)
            self._limited += tuple(name for name in closing if name not in self._limited)
            columns = [self._names.index(name) for name in part.joints]
            self._columns.append(np.array(columns, np.intp))
            self._begun += 1

    def _due_ns(self, part: Part) -> int | None:
        """When a step begins: at its time, or when the one before it is over."""
        if part.at_ns is not None:
            return max(part.at_ns, self._begin_ns) if part.needs_scene else part.at_ns
        return self._parts[self._begun - 1].end_ns if self._begun else self._begin_ns

    def _scene(self, time: float) -> SkillScene:
        assert self._pose_of is not None  # a step that needs it waits for it
        now = self._present(max(round(time * 1e9), self._last_ns))
        joints = {name: float(state[0]) for name, state in now.items()}
        return SkillScene(self._facts_of(joints), joints, self._pose_of, time, self._entities)

    def _present(self, time_ns: int) -> dict[str, Floats]:
        """(3,) position, velocity and acceleration of each joint at a time."""
        motion = self._at(time_ns)
        states = np.array([motion.positions, motion.velocities, motion.accelerations]).T
        if time_ns == self._begin_ns and not self._begun:
            states[:, 1] = [self._now[name].velocity for name in self._names]
        return dict(zip(self._names, states, strict=True))

    def _at(self, time_ns: int) -> JointMotion:
        """The joints at a time, by the steps that have begun; the later one holds for joints of both."""
        positions, efforts = self._held.copy()
        velocities, accelerations = np.zeros((2, len(positions)))
        for part, at in zip(self._parts[: self._begun], self._columns, strict=True):
            motion = part.motion(time_ns)
            positions[at], velocities[at] = motion.positions, motion.velocities
            accelerations[at], efforts[at] = motion.accelerations, motion.efforts
        return JointMotion(positions, velocities, accelerations, efforts)

    def _closing(self, part: Part, present: Mapping[str, Floats]) -> Iterator[str]:
        """The fingers that a step closes, and of which no recording says how far they came."""
        if part.is_recorded or part.end_ns is None:
            return
        ends = dict(zip(part.joints, part.motion(part.end_ns).positions.tolist(), strict=True))
        for hand in self._hands.values():
            known = hand.opened and hand.closed
            for i, name in enumerate(hand.fingers):
                way = ends[name] - float(present[name][0]) if name in ends else 0.0
                stroke = hand.closed[i] - hand.opened[i] if known else way
                if way * stroke > _LEAST_SHARE * stroke * stroke:
                    yield name

    def save(self) -> Plain:
        """Return where the plan is."""
        state = {name: getattr(self, name) for name in _STATE}
        own = record(state, name="plan")
        return {"own": own, "parts": [part.save() for part in self._parts]}

    def restore(self, saved: Plain) -> None:
        """Go on from there.

        Raises:
            Unsaveable: if it is not the state of such a plan.
        """
        own, parts = (saved.get("own"), saved.get("parts")) if isinstance(saved, dict) else (0, 0)
        if not isinstance(parts, list) or len(parts) != len(self._parts):
            raise Unsaveable(f"this is not the state of a plan of {len(self._parts)} steps")
        for part, one in zip(self._parts, parts, strict=True):
            part.restore(one)
        for name, value in rebuild(own, {n: getattr(self, n) for n in _STATE}, name="plan").items():
            setattr(self, name, value)
