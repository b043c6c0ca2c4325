"""Plans of a robot: a sequence of recordings, trajectories and operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.saving.rebuild import Restorable
from hetwin_core.ensemble.scenario.source import (
    OperationStep,
    PlanSpec,
    PlanStep,
    RecordedStep,
    TrajectoryStep,
)
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory, State
from model_nodes.main_physics.sources.part import (
    JointMotion,
    Part,
    SceneAt,
    SourceContext,
    load_part,
)
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.sources.recorded_part import RecordedPart
from model_nodes.main_physics.sources.trajectory_file import (
    ReadTrajectory,
    read_trajectory,
    trajectory_of,
)


class Motion:
    """A trajectory that is being executed.

    Args:
        trajectory: trajectory from the joints' current state.
        begin_ns: run time of the trajectory's time 0 [ns].
        joints: names of all joints of the robot, in the order of `at`.
    """

    def __init__(self, trajectory: JointTrajectory, begin_ns: int, joints: Sequence[str]) -> None:
        self.trajectory, self._begin_ns = trajectory, begin_ns
        self._columns = np.array([joints.index(name) for name in trajectory.names], np.intp)
        self._unknown = np.full(len(joints), np.nan)
        self._end: JointMotion | None = None

    @property
    def end_ns(self) -> int:
        """End of the motion [ns of the run]."""
        return self._begin_ns + round(self.trajectory.duration * 1e9)

    def at(self, time_ns: int) -> JointMotion:
        """Return the motion of all joints at a time; joints that the trajectory does not move are 0."""
        if self._end is not None and time_ns >= self.end_ns:
            return self._end
        positions, velocities, accelerations = states = np.zeros((3, len(self._unknown)))
        states[:, self._columns] = self.trajectory.at((time_ns - self._begin_ns) * 1e-9)
        motion = JointMotion(positions, velocities, accelerations, self._unknown)
        self._end = motion if time_ns >= self.end_ns else None
        return motion


class MovingPart(Restorable, Part):
    """A part that executes a trajectory from its start on; see `Part`.

    Args:
        at_ns: start of the part [ns]; None: at the end of the previous part.
    """

    takes_over = True
    saved_fields: ClassVar[tuple[str, ...]] = ("end_ns", "_motion")

    def __init__(self, at_ns: int | None) -> None:
        self.at_ns = at_ns
        self._motion: Motion | None = None
        self._joints: tuple[str, ...] = ()

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Store the joints' order; returns (joints,) which of them it may move."""
        self._joints, movable_names = tuple(joints), self.joint_names
        return np.array([name in movable_names for name in joints], np.bool_)

    def follow(
        self,
        trajectory: JointTrajectory,
        begin_ns: int,
        now_ns: int,
        current: Mapping[str, Floats],
    ) -> Motion:
        """Move from the joints' current states to the first later point of a trajectory, and on; returns the motion."""
        current_state = State(*np.array([current[name] for name in trajectory.names]).T)
        remaining = trajectory.after(current_state, (now_ns - begin_ns) * 1e-9)
        self._motion = motion = Motion(remaining, begin_ns, self._joints)
        self.end_ns = motion.end_ns
        return motion

    def motion(self, time_ns: int) -> JointMotion:
        """Return the motion of the joints at a time."""
        assert self._motion is not None  # the part has started
        return self._motion.at(time_ns)


class TrajectoryPart(MovingPart):
    """Moves its joints from their current state along a given trajectory.

    Args:
        at_ns: start of the part [ns]; None: at the end of the previous part.
        read: the trajectory.
    """

    def __init__(self, at_ns: int | None, read: ReadTrajectory) -> None:
        super().__init__(at_ns)
        self._read = read

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the trajectory's joints."""
        return self._read.trajectory.names

    @property
    def duration_ns(self) -> int:
        """Time of the last point [ns]."""
        return round(self._read.trajectory.duration * 1e9)

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Store the joints' order; returns (joints,) which of them the trajectory moves.

        Raises:
            BadInput: with file and line, if the robot does not have one of the trajectory's joints.
        """
        for i, name in enumerate(self.joint_names):
            if name not in joints:
                error = BadInput(
                    "the robot has no such joint that is driven",
                    where=f"joint_names.{i}",
                    found=name,
                    expected=one_of(name, joints),
                )
                raise self._read.locate(error)
        return super().bind(joints, period_ns, resting)

    def begin(
        self, begin_ns: int, now_ns: int, current: Mapping[str, Floats], scene: SceneAt
    ) -> None:
        """Start the motion."""
        self.follow(self._read.trajectory, begin_ns, now_ns, current)


Step = RecordedStep | TrajectoryStep | OperationStep


def open_steps(spec: PlanSpec, context: SourceContext, others: Sequence[str] = ()) -> Plan:
    """Open all steps of a plan.

    Args:
        spec: the plan.
        context: the robot that the plan moves, and its hands.
        others: see `factory.open_source`.

    Raises:
        BadInput: with the step that cannot be used.
    """
    parts: list[Part] = []
    with ExitStack() as opened:
        last_start = 0.0
        for i, step in enumerate(spec.plan):
            where = f"source.plan.{i}"
            if step.at is not None:
                _check_order(step, last_start, where)
                last_start = step.at
            try:
                part = _part(step, where, context, others)
            except BadInput as error:
                raise _with_step(where, error) from None
            parts.append(opened.enter_context(closing(part)))
        opened.pop_all()
    lasting_ns = round(spec.lasting * 1e9)
    return Plan(parts, tuple(context.hands.values()), lasting_ns)


def _check_order(step: PlanStep, last_start: float, where: str) -> None:
    if step.at is not None and step.at < last_start:
        raise BadInput(
            "this step begins before the previous one",
            where=f"{where}.at",
            found=step.at,
            expected=f"at least {last_start:g} s: steps are in chronological order",
        )


def _with_step(where: str, error: BadInput) -> BadInput:
    """Add the step to an error, unless the error is about a file or already has the step."""
    inner = error.where or ""
    if error.file is not None or inner.startswith(where):
        return error
    return error.at(f"{where}.{inner.removeprefix('source').lstrip('.')}".rstrip("."))


def _part(step: Step, where: str, context: SourceContext, others: Sequence[str]) -> Part:
    if isinstance(step, RecordedStep):
        return RecordedPart(step, context.robots, others)
    if isinstance(step, TrajectoryStep):
        at_ns = None if step.at is None else round(step.at * 1e9)
        return TrajectoryPart(at_ns, _trajectory(step, f"{where}.trajectory"))
    return load_part("operation", step, context, "operation")


def _trajectory(step: TrajectoryStep, where: str) -> ReadTrajectory:
    if isinstance(step.trajectory, str):
        return read_trajectory(Path(step.trajectory).expanduser())
    locate: Callable[[BadInput], BadInput] = partial(_with_step, where)
    try:
        return ReadTrajectory(trajectory_of(step.trajectory), locate)
    except BadInput as error:
        raise locate(error) from None
