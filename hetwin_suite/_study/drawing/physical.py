"""Checks the uncertainty of bodies and hands beside their poses."""

from __future__ import annotations

from collections.abc import Iterator

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scenario.uncertainty import (
    Between,
    Factor,
    Mixture,
    NumberSpread,
    Uncertain,
    Values,
)
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_suite._study.drawing.uncertain import BODIES, GRIPS, Physical

ASPECTS = ("mass", "friction", "bounce", "grip")
SOLID = (EntityKind.OBJECT, EntityKind.STATIC)


def physical_of(
    entity: Entity, uncertain: Uncertain, main: ModelPlan, where: str
) -> Iterator[Physical]:
    """Yield the uncertain quantities of an entity beside its pose.

    Args:
        entity: which.
        uncertain: the scenario's entry.
        main: the model that is to change it.
        where: key in the scenario.

    Raises:
        BadInput: if the entity has no such thing, it cannot be drawn so, or the main model cannot change it.
    """
    for aspect in ASPECTS:
        spread: NumberSpread | None = getattr(uncertain, aspect)
        if spread is None:
            continue
        place = f"{where}.{aspect}"
        _check_entity(entity, aspect, place)
        _check_spread(spread, aspect, place)
        _check_model(main, aspect, place)
        yield Physical(entity.name, aspect, spread, entity.mass if aspect == "mass" else 1.0)


def _check_entity(entity: Entity, aspect: str, where: str) -> None:
    match aspect:
        case "mass":
            fits, expected = entity.kind is EntityKind.OBJECT and entity.mass > 0.0, "an object"
        case "grip":
            fits, expected = entity.kind is EntityKind.HAND, "a hand of the scenario"
        case "friction" if entity.kind is EntityKind.ROBOT:
            return
        case _:
            fits, expected = entity.kind in SOLID, "an object, or what stands in the world"
    if not fits:
        raise BadInput(
            f"this has no {aspect} that matters", where=where, found=entity.name, expected=expected
        )


def _check_spread(spread: NumberSpread, aspect: str, where: str) -> None:
    kinds: tuple[type, ...]
    match aspect:
        case "mass":
            return
        case "bounce":
            kinds, expected = (Between, Values), "between or values, from 0 to below 1"
        case _:
            kinds, expected = (Factor, Between, Values), "factor, between or values"
    parts = spread.mixture if isinstance(spread, Mixture) else [spread]
    if not all(isinstance(part, kinds) for part in parts):
        raise BadInput(f"a {aspect} cannot be drawn so", where=where, expected=expected)


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
            "the fingers move as recorded, however hard they press",
            where=where,
            found=aspect,
            expected=f"models.{main.name}.parameters.finger_stiffness, with which their efforts count",
        )
