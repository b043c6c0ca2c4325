"""Evaluators: the named functions that expressions may call (Bauer et al., 2022, section 3.3.2).

Every evaluator is a function of the scene and its arguments. Third parties add theirs under the entry point
group ``hetwin.evaluators``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario_modules import untrusted_module_error
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import WORLD

FUNCTIONAL_WORDS = (
    *("pickable", "moveable", "heatable", "coolable", "receptacle"),
    *("toggleable", "openable", "sliceable", "fillable"),
)
"""The nine functional attributes; each is also a tag of the entities that have it."""


_FUNCTION = re.compile(r"\s*([A-Za-z_][\w.]*):([A-Za-z_]\w*)\s*\Z")


def is_function(text: str) -> bool:
    """Whether a scenario's evaluator names a function, MODULE:FUNCTION, rather than an expression."""
    return _FUNCTION.match(text) is not None


def own_functions(texts: Mapping[str, str]) -> dict[str, Evaluator]:
    """Import the functions among a scenario's evaluators.

    Each is called with the scene and the expression's arguments.

    Args:
        texts: name -> expression, or MODULE:FUNCTION of an installed module or one beside the scenario.

    Raises:
        BadInput: if one cannot be imported or is not a function.
    """
    return {name: _import_function(name, text) for name, text in texts.items() if is_function(text)}


def _import_function(name: str, text: str) -> Evaluator:
    module, _, function = text.strip().partition(":")
    problem = "this is not a function"
    try:
        found = getattr(import_module(module), function)
        if callable(found):
            evaluator: Evaluator = found
            return evaluator
    except ModuleNotFoundError as error:
        problem = f"the evaluator cannot be imported: {error}"
        if (refused := untrusted_module_error(error.name or "")) is not None:
            raise refused from error
    except Exception as error:  # a third party's module may raise anything while it is imported
        problem = f"the evaluator cannot be imported: {type(error).__name__}: {error}"
    raise BadInput(
        problem,
        where=f"evaluators.{name}",
        found=text,
        expected="MODULE:FUNCTION, installed or beside the scenario, or an expression",
    )


# ruff: noqa: D402 (`hetwin list evaluators` shows the first line, which begins with the call's signature)


Evaluator: TypeAlias = Callable[..., Any]
"""A function of a snapshot and further arguments that expressions may call."""
EVALUATORS = Group("hetwin.evaluators", "evaluator", "MODULE:FUNCTION of the package")
_SCENE_ONLY = "depends_on_scene_only"


def scene_only(function: Evaluator) -> Evaluator:
    """Declare that an evaluator depends only on its arguments and on its reads of the scene.

    A condition that calls it during an operation is then evaluated again only after one of these reads has changed.
    The scene is valid only during the call and must not be written to. An evaluator without this declaration is
    evaluated at each step.
    """
    setattr(function, _SCENE_ONLY, True)
    return function


def is_scene_only(function: Evaluator) -> bool:
    """Whether an evaluator is built in, or declared with `scene_only`."""
    name = getattr(function, "__name__", "")
    return getattr(function, _SCENE_ONLY, False) is True or BUILT_IN.get(name) is function


def minimum(_scene: Snapshot, *numbers: float) -> float:
    """min(a, b, ...): the smallest of some numbers."""
    return _like(min(numbers), numbers)


def maximum(_scene: Snapshot, *numbers: float) -> float:
    """max(a, b, ...): the largest of some numbers."""
    return _like(max(numbers), numbers)


def absolute(_scene: Snapshot, number: float) -> float:
    """abs(a): the absolute value of a number."""
    return abs(number)


def _like(found: float, numbers: tuple[float, ...]) -> float:
    """Return the chosen number, as a float if any argument is a float."""
    return float(found) if any(isinstance(number, float) for number in numbers) else found


NUMBERS: Mapping[str, Evaluator] = {
    "abs": scene_only(absolute),
    "max": scene_only(maximum),
    "min": scene_only(minimum),
}
"""Functions that CEL's library lacks; a scenario may replace them."""


def distance(scene: Snapshot, a: str, b: str) -> float:
    """distance(a, b): metres between the frames of two entities; between surfaces if they are close."""
    row = _proximity_row(scene, a, b)
    if row is not None:
        return float(row[2])
    return float(np.linalg.norm(scene.pose(a)[:3] - scene.pose(b)[:3]))


def in_contact(scene: Snapshot, a: str, b: str) -> bool:
    """in_contact(a, b): whether two entities touch (closer than a tenth of a millimetre)."""
    row = _proximity_row(scene, a, b)
    return row is not None and bool(row[2] < 1e-4)


def exists(scene: Snapshot, entity: str) -> bool:
    """exists(entity): whether the scene has an entity of this name."""
    return scene.layout.entity_id(entity) >= 0


def tagged(scene: Snapshot, entity: str, tag: str) -> bool:
    """tagged(entity, tag): whether the scenario gave the entity this tag."""
    return tag in scene.layout.entity(entity).tags


def has(scene: Snapshot, entity: str, attribute: str) -> bool:
    """has(entity, attribute): whether it has a functional attribute, such as 'openable'."""
    if attribute not in FUNCTIONAL_WORDS:
        known = one_of(attribute, FUNCTIONAL_WORDS)
        raise ValueError(f"no functional attribute {attribute!r}; there is {known}")
    return attribute in scene.layout.entity(entity).tags


def _state_evaluator(name: str, words: str) -> Evaluator:
    def state(scene: Snapshot, entity: str) -> bool:
        return bool(scene.get(entity, name)[0] > 0.5)

    state.__name__ = state.__qualname__ = name
    state.__doc__ = f"{name}(entity): whether {words}."
    return state


STATES: Mapping[str, Evaluator] = {
    name: _state_evaluator(name, words)
    for name, words in (
        ("cold", "an object is colder than 283.15 K"),
        ("filled", "something fillable is filled to more than a fifth"),
        ("hot", "an object is hotter than 318.15 K"),
        ("moved", "something moveable has left its initial position"),
        ("open", "something openable is open"),
        ("sliced", "something sliceable was cut into its parts"),
        ("switched_on", "something toggleable is switched on"),
    )
}
"""The states of functional attributes, each kept by a model."""


def owner(scene: Snapshot, entity: str, attribute: str) -> str:
    """owner(entity, attribute): name of the model that is responsible."""
    return scene.owner(entity, attribute)


def attribute(scene: Snapshot, entity: str, name: str, index: int = 0) -> float:
    """attribute(entity, name[, index]): one number of an attribute."""
    return float(scene.get(entity, name)[index])


def held_object(scene: Snapshot, hand: str) -> str | None:
    """held_object(hand): the object whose pose is given in this hand's frame; null if there is none."""
    layout = scene.layout
    hand_id = layout.entity_id(hand)
    if hand_id < 0:
        raise KeyError(hand)
    for slot_id in np.flatnonzero(scene.parents == hand_id):
        return layout.slots[int(slot_id)].entity
    return None


def hand_free(scene: Snapshot, hand: str) -> bool:
    """hand_free(hand): whether the hand holds nothing: no object is attached to its frame, and `holding` is not set."""
    if held_object(scene, hand) is not None:
        return False
    return not (scene.layout.has(hand, "holding") and scene.get(hand, "holding")[0] > 0.5)


def nearest_object(
    scene: Snapshot, to: str, options: Mapping[str, Any] | None = None
) -> str | None:
    """nearest_object(entity[, {'within': metres, 'kind': tag}]): the closest object; null if there is none.

    A functional attribute is also a tag. Distances are measured from the frame of `to` to the object's centre.
    """
    options = dict(options or {})
    within = float(options.pop("within", np.inf))
    tag = options.pop("kind", None)
    if options:
        raise ValueError(f"nearest_object knows 'within' and 'kind', not {sorted(options)}")
    origin = scene.pose(to)[:3]
    best: str | None = None
    for entity in scene.layout.of_kind(EntityKind.OBJECT):
        if entity.name == to or (tag is not None and tag not in entity.tags):
            continue
        separation = float(np.linalg.norm(scene.pose(entity.name)[:3] - origin))
        if separation <= within:
            best, within = entity.name, separation
    return best


def height(scene: Snapshot, entity: str) -> float:
    """height(entity): z of its frame in the world, in metres."""
    return float(scene.pose(entity)[2])


def speed(scene: Snapshot, entity: str) -> float:
    """speed(entity): magnitude of its linear velocity, in m/s."""
    return float(np.linalg.norm(scene.pose(entity)[7:10]))


def frame_of(scene: Snapshot, entity: str) -> str:
    """frame_of(entity): the frame in which the responsible model gives its pose."""
    return scene.parent(entity) if scene.layout.has(entity, "pose") else WORLD


BUILT_IN: Mapping[str, Evaluator] = {**STATES} | {
    function.__name__: function
    for function in (
        attribute,
        distance,
        exists,
        frame_of,
        has,
        hand_free,
        height,
        held_object,
        in_contact,
        nearest_object,
        owner,
        speed,
        tagged,
    )
}


@cache
def all_evaluators() -> Mapping[str, Evaluator]:
    """The built-in evaluators and those of installed packages, which may only replace those in `NUMBERS`."""
    found = {point.name: evaluator for point, evaluator in EVALUATORS.each()}
    return MappingProxyType({**NUMBERS, **found, **BUILT_IN})


def _proximity_row(scene: Snapshot, a: str, b: str) -> Any:
    first, second = scene.layout.entity_id(a), scene.layout.entity_id(b)
    rows = scene.proximity
    match = (rows[:, 0] == first) & (rows[:, 1] == second)
    match |= (rows[:, 0] == second) & (rows[:, 1] == first)
    matches = rows[match]
    return matches[np.argmin(matches[:, 2])] if len(matches) else None
