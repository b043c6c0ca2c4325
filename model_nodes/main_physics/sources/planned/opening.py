"""Opens the steps of a plan that a scenario or a command specifies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.source import (
    OperationStep,
    PlanSpec,
    PlanStep,
    RecordedStep,
    TrajectoryStep,
)
from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.sources.commanded.trajectory_file import (
    ReadTrajectory,
    read_trajectory,
    trajectory_of,
)
from model_nodes.main_physics.sources.part import Part
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.sources.planned.operation import OperationPart
from model_nodes.main_physics.sources.planned.trajectory import TrajectoryPart
from model_nodes.main_physics.sources.program.facts import movable, robot_facts
from model_nodes.main_physics.sources.recorded_part import RecordedPart
from model_nodes.main_physics.world.description import Body
from model_nodes.skills.registry import skill_of

Step = RecordedStep | TrajectoryStep | OperationStep


def open_steps(
    spec: PlanSpec, robot: Body, hands: Mapping[str, NamedHand], others: Sequence[str] = ()
) -> Plan:
    """Open all steps of a plan.

    Args:
        spec: the plan.
        robot: that it moves.
        hands: of the robot, by name.
        others: as for `factory.open_source`.

    Raises:
        BadInput: naming the step that cannot be used.
    """
    parts: list[Part] = []
    with ExitStack() as opened:
        begun = 0.0
        for i, step in enumerate(spec.plan):
            where = f"source.plan.{i}"
            if step.at is not None:
                _check_order(step, begun, where)
                begun = step.at
            try:
                part = _part(step, where, robot, others)
            except BadInput as error:
                raise _placed(where, error) from None
            parts.append(opened.enter_context(closing(part)))
        opened.pop_all()
    lasting_ns = round(spec.lasting * 1e9)
    return Plan(parts, lambda joints: robot_facts(robot, hands, joints), lasting_ns)


def _check_order(step: PlanStep, begun: float, where: str) -> None:
    if step.at is not None and step.at < begun:
        raise BadInput(
            "this step begins before the one before it",
            where=f"{where}.at",
            found=step.at,
            expected=f"at least {begun:g} s: steps are in the order of time",
        )


def _placed(where: str, error: BadInput) -> BadInput:
    """An error with the step that it is about; one about a file, or that has it already, stays as it is."""
    inner = error.where or ""
    if error.file is not None or inner.startswith(where):
        return error
    return error.at(f"{where}.{inner.removeprefix('source').lstrip('.')}".rstrip("."))


def _part(step: Step, where: str, robot: Body, others: Sequence[str]) -> Part:
    if isinstance(step, RecordedStep):
        return RecordedPart(step, (robot,), others)
    at_ns = None if step.at is None else round(step.at * 1e9)
    if isinstance(step, TrajectoryStep):
        return TrajectoryPart(at_ns, _trajectory(step, f"{where}.trajectory"))
    name, key = (step.operation, "operation") if step.skill is None else (step.skill, "skill")
    try:
        skill = skill_of(name)
    except BadInput as error:
        raise error.at(key) from None
    return OperationPart(at_ns, step, skill, [joint.name for joint in movable(robot)])


def _trajectory(step: TrajectoryStep, where: str) -> ReadTrajectory:
    if isinstance(step.trajectory, str):
        return read_trajectory(Path(step.trajectory).expanduser())
    placed: Callable[[BadInput], BadInput] = partial(_placed, where)
    try:
        return ReadTrajectory(trajectory_of(step.trajectory), placed)
    except BadInput as error:
        raise placed(error) from None
