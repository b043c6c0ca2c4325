"""What is uncertain about a scenario, found in its scene and among its models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from transforms3d.quaternions import qmult

from hetwin_core.ensemble.conductor.reporting.listener import RunStart
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.scenario import ModelPlan, Scenario
from hetwin_core.ensemble.scenario.uncertainty import NumberSpread, PoseSpread, Uncertain
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_suite.futures.drawing.draw import Draw
from hetwin_suite.futures.drawing.numbers import (
    MOST_SEED,
    Number,
    drawn_number,
    drawn_shift,
    generator,
    varied,
)

KEY = "uncertainty"


class Placed(NamedTuple):
    """An entity whose pose is uncertain, and what is moved with it.

    Attributes:
        entity: its name.
        spread: how uncertain it is.
        poses: entity -> (7,) the pose that the scenario says; the entity first.
    """

    entity: str
    spread: PoseSpread
    poses: Mapping[str, Floats]


class Varied(NamedTuple):
    """A model's parameter that is uncertain.

    Attributes:
        model: its name.
        parameter: its name.
        spread: how uncertain it is.
        nominal: the value that the scenario says, or the model's default.
    """

    model: str
    parameter: str
    spread: NumberSpread
    nominal: Any

    @property
    def name(self) -> str:
        """The name of the input."""
        return f"{self.model}.{self.parameter}"


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """What is drawn for each run.

    Attributes:
        placed: poses.
        varied: models' parameters.
    """

    placed: Sequence[Placed] = ()
    varied: Sequence[Varied] = ()

    def draw(self, seed: int, index: int) -> Draw:
        """Draw a run; it depends on nothing but the two numbers.

        Args:
            seed: of the batch.
            index: of the run in it.
        """
        inputs: dict[str, Json] = {}
        scene: dict[str, Any] = {}
        for placed in self.placed:
            scene |= _moved(placed, seed, index, inputs)
        parameters: dict[str, dict[str, Any]] = {}
        for of in self.varied:
            number = _number(of.name, of.spread, seed, index, inputs)
            parameters.setdefault(of.model, {})[of.parameter] = number.of(of.nominal)
        run_seed = int(generator("seed", seed, index).integers(MOST_SEED))
        return Draw(index, run_seed, inputs, scene, parameters)


def find_uncertainty(scenario: Scenario, start: RunStart) -> Uncertainty:
    """Return what the scenario says is uncertain.

    Args:
        scenario: whose `uncertainty` it is.
        start: of a run that was prepared with it.

    Raises:
        BadInput: if it names what is not there, or what cannot be uncertain; with file, line and key.
    """
    placed: list[Placed] = []
    varied_: list[Varied] = []
    try:
        for name, uncertain in scenario.file.uncertainty.items():
            where = f"{KEY}.{name}"
            plan = scenario.plan(name)
            if plan is not None:
                varied_ += _parameters(plan, uncertain, where)
            else:
                placed += _of_entity(name, uncertain, scenario, start, where)
    except BadInput as error:
        raise scenario.placed(error) from None
    return Uncertainty(tuple(placed), tuple(varied_))


def _of_entity(
    name: str, uncertain: Uncertain, scenario: Scenario, start: RunStart, where: str
) -> Iterator[Placed]:
    kinds = {entity.name: entity.kind for entity in start.layout.entities}
    if name not in kinds:
        models = [plan.name for plan in scenario.models]
        raise BadInput(
            "the scene has no such entity, and the ensemble no such model",
            where=where,
            found=name,
            expected=one_of(name, [*kinds, *models]),
        )
    for parameter in uncertain.parameters:
        raise BadInput(
            "this is nothing of an entity that can be uncertain",
            where=f"{where}.{parameter}",
            found=parameter,
            expected=one_of(parameter, Uncertain.model_fields),
        )
    if uncertain.pose is not None:
        poses = {
            entity: _pose(entity, start, f"{where}.{key}")
            for entity, key in (
                (name, "pose"),
                *((other, "carries") for other in uncertain.carries),
            )
        }
        yield Placed(name, uncertain.pose, poses)


def _pose(entity: str, start: RunStart, where: str) -> Floats:
    """Return (7,) the pose of a body at the start."""
    bodies = [
        e.name
        for e in start.layout.entities
        if e.kind in (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.ROBOT)
    ]
    if entity not in bodies or not start.layout.has(entity, POSE.name):
        raise BadInput(
            "this has no place that could be uncertain",
            where=where,
            found=entity,
            expected=one_of(entity, bodies),
        )
    return np.array(start.snapshot.pose(entity)[:7])


def _parameters(plan: ModelPlan, uncertain: Uncertain, where: str) -> Iterator[Varied]:
    """Return a model's uncertain parameters."""
    for key in uncertain.model_fields_set - set(uncertain.parameters):
        raise BadInput(
            f"{plan.name} is a model, and this is something of an entity",
            where=f"{where}.{key}",
            found=key,
            expected="the name of a parameter of the model",
        )
    requests = {request.name: request for request in plan.cls().parameters()}
    for name, spread in uncertain.parameters.items():
        request = requests.get(name)
        if request is None:
            raise BadInput(
                "the model has no such parameter",
                where=f"{where}.{name}",
                found=name,
                expected=one_of(name, sorted(requests)),
            )
        nominal = plan.parameters.get(name, request.default)
        yield Varied(plan.name, name, spread, nominal)


def _moved(placed: Placed, seed: int, index: int, inputs: dict[str, Json]) -> dict[str, Any]:
    """Return the scene with an entity and what it carries moved, and note what was drawn."""
    name = f"{placed.entity}.{POSE.name}"
    shift = drawn_shift(placed.spread, generator(name, seed, index))
    numbers = dict(zip(("x", "y", "z"), shift.position, strict=True))
    numbers |= dict(zip(("roll", "pitch", "yaw"), shift.turn, strict=True))
    drawn: dict[str, Json] = {**numbers, "part": shift.part}
    inputs.update((f"{name}.{key}", drawn[key]) for key in varied(placed.spread))
    middle = placed.poses[placed.entity][:3]
    return {
        entity: {"pose": _turned(pose, middle, np.array(shift.position), shift.rotation)}
        for entity, pose in placed.poses.items()
    }


def _turned(pose: Floats, middle: Floats, offset: Floats, rotation: Floats) -> list[float]:
    """Return a pose turned about a point and moved."""
    arm = np.concatenate(([0.0], pose[:3] - middle))
    conjugate = rotation * np.array([1.0, -1.0, -1.0, -1.0])
    place = middle + offset + qmult(qmult(rotation, arm), conjugate)[1:]
    return [*place.tolist(), *qmult(rotation, pose[3:7]).tolist()]


def _number(
    name: str, spread: NumberSpread, seed: int, index: int, inputs: dict[str, Json]
) -> Number:
    """Draw a number, and note it."""
    number = drawn_number(spread, generator(name, seed, index))
    inputs[name] = number.value
    if number.part is not None:
        inputs[f"{name}.part"] = number.part
    return number
