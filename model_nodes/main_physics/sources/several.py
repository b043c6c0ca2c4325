"""The sources of several robots as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.annotations import ROBOT
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.ensemble.saving.plain import Plain, Unsaveable
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.alignment import begins_of
from model_nodes.main_physics.sources.source import BaseMotion, BaseSource, JointMotion, Source
from model_nodes.main_physics.world.description import Body

_OF_JOINTS = ("joint", "joints")


class SeveralSources(Source):
    """Each robot is moved by its own source; recordings are aligned by their clocks.

    Joints are called ROBOT::JOINT. Events of the robots' programs have the argument ``robot``.

    Args:
        sources: by the names of the robots, in the order of their joints.

    Attributes:
        notes: notes for the user, each of which says which robot it is about.

    Raises:
        BadInput: if some are recorded and others live, or recordings were not made at the same time.
    """

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = dict(sources)
        self._begins_ns = begins_of(self._sources)
        self._order: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the sources note."""
        late = (
            f"robots.{name}: its recording begins {begin / 1e9:.3f} s after the first one"
            for name, begin in self._begins_ns.items()
            if begin
        )
        noted = (
            f"robots.{name}: {note}"
            for name, source in self._sources.items()
            for note in getattr(source, "notes", ())
        )
        return (*late, *noted)

    def of(self, robot: str) -> BaseSource:
        """What moves the base of a robot, in run time.

        Raises:
            BadInput: if the robot has no source.
        """
        if robot not in self._sources:
            raise BadInput(
                "nothing moves the base",
                where=f"robots.{robot}.source",
                expected="a source, or base: fixed",
            )
        return _Base(self._sources[robot], self._begins_ns[robot])

    @property
    def joint_names(self) -> tuple[str, ...]:
        """All joints of the sources."""
        return tuple(
            f"{robot}::{joint}" for robot, one in self._sources.items() for joint in one.joint_names
        )

    @property
    def duration_ns(self) -> int | None:
        """The run time at which the last recording ends [ns]; None if that is unknown."""
        ends = [
            None if one.duration_ns is None else self._begins_ns[robot] + one.duration_ns
            for robot, one in self._sources.items()
        ]
        known = [end for end in ends if end is not None]
        return max(known) if len(known) == len(ends) else None

    @property
    def start_ns(self) -> int | None:
        """When the first recording begins, on the robots' clocks [ns since the epoch]."""
        starts = [one.start_ns for one in self._sources.values() if one.start_ns is not None]
        return min(starts, default=None)

    @property
    def reproducible(self) -> bool:
        """Whether another run would get the same input."""
        return all(one.reproducible for one in self._sources.values())

    def rest_at(self, positions: Mapping[str, float]) -> None:
        """Take note of where joints are before anything moves them."""
        for robot, one in self._sources.items():
            own = f"{robot}::"
            one.rest_at({n.removeprefix(own): p for n, p in positions.items() if n.startswith(own)})

    def bind(self, joints: Sequence[str], period_ns: int) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them a source drives.

        Raises:
            BadInput: if a source drives no joint of its robot; it says if it is the source of another one.
        """
        own: dict[str, list[str]] = {robot: [] for robot in self._sources}
        for joint in joints:
            robot, _, bare = joint.partition("::")
            if robot in own:
                own[robot].append(bare)
        driven: dict[str, bool] = {}
        for robot, names in own.items():
            moved = self._bind_one(robot, names, own, period_ns)
            driven.update(zip((f"{robot}::{j}" for j in names), moved.tolist(), strict=True))
        self._order = tuple(robot for robot, names in own.items() if names)
        assert [n for r in self._order for n in joints if n.startswith(f"{r}::")] == [
            *(n for n in joints if n in driven)
        ], "the joints of a robot are together, in the order of the robots"
        self._places = np.flatnonzero([joint in driven for joint in joints])
        self._count = len(joints)
        return np.array([driven.get(joint, False) for joint in joints])

    def _bind_one(
        self, robot: str, bare: Sequence[str], own: Mapping[str, Sequence[str]], period_ns: int
    ) -> NDArray[np.bool_]:
        source = self._sources[robot]
        known = set(source.joint_names)
        if not known & set(bare):
            for other, joints in own.items():
                if other != robot and known & set(joints):
                    raise BadInput(
                        f"this is the source of another robot: it moves joints of {other}",
                        where=f"robots.{robot}.source",
                        found=", ".join(sorted(known & set(joints))[:4]),
                        expected=f"some of {', '.join(bare[:4])}",
                    )
        try:
            return source.bind(bare, period_ns)
        except BadInput as error:
            where = f"robots.{robot}.source" + (f", {error.where}" if error.where else "")
            raise error.at(where, error.file) from None

    @property
    def senses(self) -> bool:
        """Whether a robot's source wants to be told what its robot senses."""
        return any(one.senses for one in self._sources.values())

    def sense(self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]) -> None:
        """Let each source take note of what its robot senses, by the robot's own names.

        Raises:
            RunFailed: if a source fails at that time; it says of which robot.
        """
        for robot, one in self._sources.items():
            if not one.senses:
                continue
            own = f"{robot}::"
            felt = {n.removeprefix(own): p for n, p in joints.items() if n.startswith(own)}
            try:
                one.sense(time_ns, felt, events)
            except RunFailed as error:
                raise self._of_robot(error, robot) from error

    @property
    def limited(self) -> tuple[str, ...]:
        """Names of joints that are to stop at what they touch."""
        named = self._sources.items()
        return tuple(f"{robot}::{name}" for robot, one in named for name in one.limited)

    def use_places(self, pose_of: Callable[[str], Floats], entities: Mapping[str, Entity]) -> None:
        """Let each source take note of the main model's entities."""
        for one in self._sources.values():
            one.use_places(pose_of, entities)

    def begin(self) -> bool:
        """Prepare the first step; returns whether a robot may have moved since the sources were bound."""
        begun = [one.begin() for one in self._sources.values()]
        return any(begun)

    @property
    def input_ns(self) -> int | None:
        """Live: when the newest sample of the last motion was measured, of the robot that is furthest behind [ns]."""
        inputs = [one.input_ns for one in self._sources.values()]
        return min((one for one in inputs if one is not None), default=None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found in the recordings; joints carry the names of their robots."""
        return tuple(
            _named(finding, robot, self._begins_ns[robot])
            for robot, one in self._sources.items()
            for finding in one.findings
        )

    @property
    def late(self) -> bool:
        """Live: whether the twin is too far behind one of the robots."""
        return any(one.late for one in self._sources.values())

    def motion(self, time_ns: int) -> JointMotion:
        """Return the joints at a time; those of a robot whose recording has not begun are where it begins.

        Raises:
            RunFailed: if a source fails at that time; it says of which robot.
        """
        parts = [
            self._asked(robot, lambda one, at: one.motion(at), time_ns) for robot in self._order
        ]
        if len(self._places) == self._count:
            return _joined(parts)
        motion = _joined(parts)
        return JointMotion(
            self._spread(motion.positions, 0.0),
            self._spread(motion.velocities, 0.0),
            self._spread(motion.accelerations, 0.0),
            self._spread(motion.efforts, np.nan),
        )

    def _spread(self, numbers: Floats, other: float) -> Floats:
        """Numbers of the sources' joints among those of all joints."""
        spread = np.full(self._count, other)
        spread[self._places] = numbers
        return spread

    def _asked(
        self, robot: str, what: Callable[[Source, int], JointMotion], time_ns: int
    ) -> JointMotion:
        try:
            return what(self._sources[robot], max(0, time_ns - self._begins_ns[robot]))
        except RunFailed as error:
            raise self._of_robot(error, robot) from error

    def _of_robot(self, error: RunFailed, robot: str) -> RunFailed:
        at = error.time_ns + self._begins_ns[robot]
        return RunFailed(f"{error.model} of {robot}", error.call, at, error.reason)

    def events(self, time_ns: int) -> list[Event]:
        """Return the events of all robots since the last call, in the order of time, then of the robots.

        Raises:
            RunFailed: if a source fails; it says of which robot.
        """
        found: list[Event] = []
        for robot, one in self._sources.items():
            begin = self._begins_ns[robot]
            if time_ns < begin:
                continue
            try:
                found += [_of(robot, event, begin) for event in one.events(time_ns - begin)]
            except RunFailed as error:
                if not found:
                    raise self._of_robot(error, robot) from error
        return sorted(found, key=lambda event: event.time_ns)

    def ended(self, time_ns: int) -> bool:
        """Whether no source has anything after `time_ns`."""
        return all(
            time_ns >= self._begins_ns[robot] and one.ended(time_ns - self._begins_ns[robot])
            for robot, one in self._sources.items()
        )

    def save(self) -> Plain:
        """Return where each source is."""
        return {robot: one.save() for robot, one in self._sources.items()}

    def restore(self, saved: Plain) -> None:
        """Go on with each source.

        Raises:
            Unsaveable: if other sources were saved.
        """
        if not isinstance(saved, dict) or saved.keys() != self._sources.keys():
            raise Unsaveable("the sources of other robots were saved")
        for robot, one in self._sources.items():
            one.restore(saved[robot])

    def close(self) -> None:
        """Close all sources."""
        for one in self._sources.values():
            one.close()


class _Base:
    """Moves the base of one robot by its source, which begins at some run time."""

    def __init__(self, source: Source, begin_ns: int) -> None:
        self._source, self._begin_ns = source, begin_ns

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Select what moves the base."""
        self._source.bind_base(replace(robot, one_of_several=False), base, period_ns)

    def base(self, time_ns: int) -> BaseMotion:
        """Return the state of the base at a run time."""
        return self._source.base(max(0, time_ns - self._begin_ns))


def _joined(parts: Sequence[JointMotion]) -> JointMotion:
    return JointMotion(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.velocities for part in parts]),
        np.concatenate([part.accelerations for part in parts]),
        np.concatenate([part.efforts for part in parts]),
    )


def _of(robot: str, event: Event, begin_ns: int) -> Event:
    """The event with the name of its robot, in run time."""
    arguments = dict(event.arguments)
    if event.kind is not EventKind.TOPIC:
        arguments.setdefault(ROBOT, robot)
    return replace(
        event,
        time_ns=event.time_ns + begin_ns,
        source=f"{robot}: {event.source}" if event.source else "",
        arguments=arguments,
    )


def _named(finding: Finding, robot: str, begin_ns: int) -> Finding:
    arguments: dict[str, Json] = dict(finding.arguments)
    for key in _OF_JOINTS:
        value = arguments.get(key)
        if isinstance(value, str):
            arguments[key] = f"{robot}::{value}"
        elif isinstance(value, list):
            arguments[key] = [f"{robot}::{joint}" for joint in value]
    return replace(
        finding,
        from_ns=finding.from_ns + begin_ns,
        to_ns=finding.to_ns + begin_ns,
        arguments=arguments,
    )
