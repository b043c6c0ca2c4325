"""Resolves the `uncertainty` of a scenario to entities of its scene and parameters of its models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from hetwin_core.ensemble.conductor.reporting.listener import RunStart
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.uncertainty import (
    Factor,
    Mixture,
    NumberSpread,
    Uncertain,
    Uniform,
    Values,
)
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_suite._study.uncertain import (
    BODIES,
    GRIPS,
    UncertainParameter,
    UncertainPose,
    UncertainQuantity,
    Uncertainty,
)

KEY = "uncertainty"
PLACEABLE = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.ROBOT)
"""Kinds of entities whose pose at the start can be uncertain."""


def find_uncertainty(scenario: Scenario, start: RunStart) -> Uncertainty:
    """Return the scenario's uncertainty.

    Args:
        scenario: a scenario with `uncertainty`.
        start: start of a run of the scenario.

    Raises:
        BadInput: if a key names something unknown, or something that cannot be uncertain; with file, line and key.
    """
    placed: list[UncertainPose] = []
    physical: list[UncertainQuantity] = []
    varied: list[UncertainParameter] = []
    try:
        for key, name, uncertain in _named_entries(scenario, start):
            where = f"{KEY}.{key}"
            plan, entity = scenario.plan(name), _entity(name, start)
            if plan is None and entity is None:
                raise _unknown(name, scenario, start, where)
            if plan is not None:
                varied += _parameters(plan, uncertain, where)
            if entity is not None:
                placed += _uncertain_pose(entity, uncertain, start, where)
                physical += physical_of(entity, uncertain, scenario.main, where)
            _check_keys(uncertain, plan, entity, where)
    except BadInput as error:
        raise scenario.placed(error) from None
    main_parameters: Mapping[str, Any] = scenario.main.parameters
    return Uncertainty(
        scenario.main.name,
        tuple(placed),
        tuple(physical),
        tuple(varied),
        bodies=main_parameters.get(BODIES),
        grips=main_parameters.get(GRIPS),
    )


def _named_entries(scenario: Scenario, start: RunStart) -> Iterator[tuple[str, str, Uncertain]]:
    """Yield (key, name, entry) for each entity or model that a key names.

    A pattern stands for each matching entity that has no key of its own.
    """
    keys = scenario.file.uncertainty
    for key, uncertain in keys.items():
        found = [e.name for e in start.layout.entities if fnmatchcase(e.name, key)]
        for name in (found if "*" in key else []) or [key]:
            if name == key or name not in keys:
                yield key, name, uncertain


def _entity(name: str, start: RunStart) -> Entity | None:
    return next((entity for entity in start.layout.entities if entity.name == name), None)


def _unknown(name: str, scenario: Scenario, start: RunStart, where: str) -> BadInput:
    entities = [entity.name for entity in start.layout.entities]
    models = [plan.name for plan in scenario.models]
    return BadInput(
        "the scene has no such entity, and the ensemble no such model",
        where=where,
        found=name,
        expected=one_of(name, [*entities, *models]),
    )


def _check_keys(
    uncertain: Uncertain, plan: ModelPlan | None, entity: Entity | None, where: str
) -> None:
    """Check that keys of entities belong to an entity, and keys of models to a model."""
    for key in uncertain.parameters if plan is None else ():
        raise BadInput(
            "an entity has no uncertain quantity of this name",
            where=f"{where}.{key}",
            found=key,
            expected=one_of(key, Uncertain.model_fields),
        )
    of_entity = sorted(uncertain.model_fields_set - set(uncertain.parameters))
    for key in of_entity if entity is None else ():
        raise BadInput(
            "the key belongs to an entity, but this names a model",
            where=f"{where}.{key}",
            found=key,
            expected="the name of a parameter of the model",
        )


def _uncertain_pose(
    entity: Entity, uncertain: Uncertain, start: RunStart, where: str
) -> Iterator[UncertainPose]:
    if uncertain.pose is not None:
        keys = {entity.name: POSE.name} | dict.fromkeys(uncertain.carries, "carries")
        poses = {name: _pose(name, start, f"{where}.{key}") for name, key in keys.items()}
        yield UncertainPose(entity.name, uncertain.pose, poses)


def _pose(entity: str, start: RunStart, where: str) -> Floats:
    """Return (7,) the pose of a body at the start, in the world frame."""
    bodies = [e.name for e in start.layout.entities if e.kind in PLACEABLE]
    if entity not in bodies or not start.layout.has(entity, POSE.name):
        raise BadInput(
            "this entity has no pose that could be uncertain",
            where=where,
            found=entity,
            expected=one_of(entity, bodies),
        )
    return np.array(start.snapshot.pose(entity)[:7])


def _parameters(plan: ModelPlan, uncertain: Uncertain, where: str) -> Iterator[UncertainParameter]:
    """Yield a model's uncertain parameters."""
    requests = {request.name: request for request in plan.cls.requests()}
    for name, spread in uncertain.parameters.items():
        key = f"{where}.{name}"
        if name not in requests:
            raise BadInput(
                "the model has no such parameter",
                where=key,
                found=name,
                expected=one_of(name, sorted(requests)),
            )
        nominal = plan.parameters.get(name, requests[name].default)
        if not isinstance(nominal, int | float) and not isinstance(spread, Uniform | Values):
            raise BadInput(
                "only a number can differ by a sigma or a factor",
                where=key,
                found=nominal,
                expected="between or values",
            )
        yield UncertainParameter(plan.name, name, spread, nominal)


ASPECTS = ("mass", "friction", "bounce", "grip")
SOLID = (EntityKind.OBJECT, EntityKind.STATIC)


def physical_of(
    entity: Entity, uncertain: Uncertain, main: ModelPlan, where: str
) -> Iterator[UncertainQuantity]:
    """Yield the uncertain quantities of an entity other than its pose.

    Args:
        entity: the entity.
        uncertain: its entry in the scenario.
        main: the main model, which applies drawn values.
        where: key of the entry in the scenario.

    Raises:
        BadInput: if the entity lacks the quantity, the distribution does not suit it, or the main model cannot change
            it.
    """
    for aspect in ASPECTS:
        spread: NumberSpread | None = getattr(uncertain, aspect)
        if spread is None:
            continue
        key = f"{where}.{aspect}"
        _check_entity(entity, aspect, key)
        _check_spread(spread, aspect, key)
        _check_model(main, aspect, key)
        yield UncertainQuantity(
            entity.name, aspect, spread, entity.mass if aspect == "mass" else 1.0
        )


def _check_entity(entity: Entity, aspect: str, where: str) -> None:
    match aspect:
        case "mass":
            is_suitable = entity.kind is EntityKind.OBJECT and entity.mass > 0.0
            expected = "an object"
        case "grip":
            is_suitable, expected = entity.kind is EntityKind.HAND, "a hand of the scenario"
        case "friction" if entity.kind is EntityKind.ROBOT:
            return
        case _:
            is_suitable = entity.kind in SOLID
            expected = "an object, or a static model of the world"
    if not is_suitable:
        raise BadInput(
            f"this entity has no uncertain {aspect}",
            where=where,
            found=entity.name,
            expected=expected,
        )


def _check_spread(spread: NumberSpread, aspect: str, where: str) -> None:
    kinds: tuple[type, ...]
    match aspect:
        case "mass":
            return
        case "bounce":
            kinds, expected = (Uniform, Values), "between or values, from 0 to below 1"
        case _:
            kinds, expected = (Factor, Uniform, Values), "factor, between or values"
    parts = spread.mixture if isinstance(spread, Mixture) else [spread]
    if not all(isinstance(part, kinds) for part in parts):
        raise BadInput(f"a {aspect} has no such distribution", where=where, expected=expected)


def _check_model(main: ModelPlan, aspect: str, where: str) -> None:
    parameter = GRIPS if aspect == "grip" else BODIES
    if parameter not in {request.name for request in main.cls.requests()}:
        raise BadInput(
            f"{main.name} ({main.type}) cannot change a {aspect}",
            where=where,
            found=aspect,
            expected=f"a main model with the parameter {parameter}, such as main_physics",
        )
    if aspect == "grip" and main.parameters.get("finger_stiffness") is None:
        raise BadInput(
            "the fingers move as recorded, regardless of their efforts",
            where=where,
            found=aspect,
            expected=f"models.{main.name}.parameters.finger_stiffness, with which their efforts count",
        )
