"""Resolves the parameters that a model requests from its entry, the scenario and the scene."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from hetwin_core.ensemble.conductor.start.found import FROM_START
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.shared_keys import shared_keys
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import FUNCTIONAL_WORDS
from hetwin_core.ensemble.nearest import one_of, some
from hetwin_core.ensemble.parameters import ParameterKind, ParameterRequest
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.hands import HandDescription, finger_links
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE, Value
from hetwin_core.ensemble.scene.watch import WatchLayout
from hetwin_core.ensemble.validation import Number, Pose7, Whole, check

ENGINE = "engine"
"""Parameter of the main model that the start of a run may override."""


_PLAIN_TYPES: Mapping[ParameterKind, tuple[TypeAdapter[Any], str]] = {
    ParameterKind.NUMBER: (TypeAdapter(Number), "a number"),
    ParameterKind.INTEGER: (TypeAdapter(Whole), "a whole number"),
    ParameterKind.TEXT: (TypeAdapter(str), "text"),
    ParameterKind.BOOLEAN: (TypeAdapter(bool), "true or false"),
    ParameterKind.VECTOR: (TypeAdapter(list[Number]), "a list of numbers"),
}
"""Types of the parameters that do not refer to the scene, and their names in errors."""

_NOT_IN_ENTRY = (ParameterKind.WATCH, ParameterKind.URDF, ParameterKind.FUNCTIONAL)
"""Types of the parameters that come from the main model or from entities, never from a model's entry."""

MakeError: TypeAlias = Callable[[str], BadInput]
"""Returns the error about a value, given the expectation."""


@dataclass(frozen=True, slots=True)
class KnownScene:
    """The part of the scene that is known so far.

    Entities, values of their attributes, the models' ids by name, the watched robot, and its URDF.
    """

    entities: Mapping[str, Entity]
    values: Mapping[tuple[str, str], Value]
    ids: Mapping[str, str]
    watch: WatchLayout | None = None
    robot_description: str = ""


EMPTY_SCENE = KnownScene({}, {}, {})
"""The state before the main model has contributed anything."""


class ParameterResolver:
    """Finds the values of parameters.

    A value comes from the model's entry in the scenario, else from the scenario's key of the same name, else
    from the request's default. The main model's engine comes from the options, if they name one.
    """

    def __init__(self, scenario: Scenario, options: RunOptions) -> None:
        self._scenario = scenario
        self._options = options
        self._shared = shared_keys(scenario, options)

    def resolve(
        self, plan: ModelPlan, requests: Sequence[ParameterRequest], known: KnownScene = EMPTY_SCENE
    ) -> dict[str, Any]:
        """The values of all parameters of one model.

        Raises:
            BadInput: naming model and parameter, if one cannot be resolved or was not requested.
        """
        names = {request.name for request in requests if request.kind not in _NOT_IN_ENTRY}
        for name in plan.parameters:
            if name not in names:
                raise self._error(
                    plan,
                    name,
                    "the model has no such parameter",
                    name,
                    one_of(name, sorted(names)),
                )
        return {request.name: self._value(plan, request, known) for request in requests}

    def _value(self, plan: ModelPlan, request: ParameterRequest, known: KnownScene) -> Any:
        if request.kind is ParameterKind.WATCH:
            return None if known.watch is None else known.watch.to_json()
        if request.kind is ParameterKind.URDF:
            return known.robot_description
        if request.kind is ParameterKind.FUNCTIONAL:
            return self._functional(request.name)
        if request.name == ENGINE and plan.main and self._options.engine is not None:
            raw: Any = self._options.engine
        elif request.name in plan.parameters:
            raw = plan.parameters[request.name]
        elif plan.main and self._shared.get(request.name) is not None:
            raw = self._shared[request.name]
        elif request.required:
            expected = f"a value ({request.kind}): {request.description}"
            raise self._error(plan, request.name, "this parameter is missing", None, expected)
        else:
            raw = request.default
        if raw is None and request.default is None and not request.required:
            return None  # not given, or given as null
        return self._convert(plan, request, raw, known)

    def _functional(self, attribute: str) -> dict[str, Any]:
        """The entities with a functional attribute, and the parameters of each."""
        return {
            name: given
            for name, notes in self._scenario.file.entities.items()
            for word, given in notes.attributes.given()
            if word == attribute
        }

    def _convert(
        self, plan: ModelPlan, request: ParameterRequest, raw: Any, known: KnownScene
    ) -> Any:
        def make_error(expected: str) -> BadInput:
            return self._error(plan, request.name, "this value cannot be used", raw, expected)

        match request.kind:
            case ParameterKind.ENTITY:
                if not _is_known(raw, known.entities):
                    raise make_error("an entity: " + some(known.entities, 20))
                return raw
            case ParameterKind.ENTITIES:
                return _entities(raw, known, make_error)
            case ParameterKind.HAND:
                return self._hand(raw, known, make_error)
            case ParameterKind.MODEL:
                if not _is_known(raw, known.ids):
                    raise make_error("a model: " + ", ".join(known.ids))
                return known.ids[raw]
            case ParameterKind.POSE:
                return _pose(raw, known, make_error)
            case ParameterKind.PATH:
                return self._path(raw, make_error)
            case _:
                return _plain_value(request, raw, make_error)

    def _path(self, raw: Any, make_error: MakeError) -> str:
        path = self._scenario.path_of(raw) if isinstance(raw, str) else None
        if path is None:
            raise make_error("a file, relative to the scenario or among hetwin's own")
        return str(path)

    def _hand(self, raw: Any, known: KnownScene, make_error: MakeError) -> dict[str, Any]:
        hands = [e.name for e in known.entities.values() if e.kind is EntityKind.HAND]
        if raw not in hands:
            raise make_error("a hand of the scenario: " + (", ".join(hands) or "there is none"))
        entity = known.entities[raw]
        notes = self._scenario.file.hands.get(raw)
        links = [e for e in known.entities.values() if e.kind is EntityKind.LINK]
        return asdict(
            HandDescription(
                name=raw,
                robot=entity.owner,
                link=entity.parent,
                offset=tuple(notes.offset) if notes else (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
                joints=entity.joints,
                finger_links=finger_links(links, entity),
                closed=tuple(notes.closed) if notes else (),
                opened=tuple(notes.opened) if notes else (),
            )
        )

    def _error(
        self, plan: ModelPlan, name: str, problem: str, found: Any, expected: str
    ) -> BadInput:
        problem = f"{plan.name}: parameter {name}: {problem}"
        return self.placed(plan, BadInput(problem, where=name, found=found, expected=expected))

    def placed(self, plan: ModelPlan, error: BadInput) -> BadInput:
        """Return a model's error about one of its parameters with the file, the line and the key of the scenario.

        An error about a file of the model's own, or about anything but a parameter, is returned unchanged.
        """
        given = error.where or ""
        name, _, rest = given.partition(".")
        if error.file is not None or not name.isidentifier():  # a topic is no parameter
            return error
        if name == "hands" and name not in plan.parameters:
            return self._scenario.placed(error)
        file, where = None, f"{plan.parameters_key}.{given}"
        if name in FUNCTIONAL_WORDS and name not in plan.parameters:
            entity, _, key = rest.partition(".")
            where = f"entities.{entity}.attributes.{name}.{key}".rstrip(".")
        if plan.main and self._is_from_start(name, rest):
            file, where = FROM_START, given
        elif name not in plan.parameters and plan.main and self._shared.get(name) is not None:
            where = given
        elif name == ENGINE and self._has_engine_key(plan):
            where = f"models.{plan.name}.{ENGINE}"
        return self._scenario.placed(error.at(where, file))

    def _has_engine_key(self, plan: ModelPlan) -> bool:
        """Whether the engine is given beside the model's parameters, not among them."""
        entry = self._scenario.file.models.get(plan.name)
        return entry is not None and ENGINE not in entry.parameters

    def _is_from_start(self, name: str, rest: str) -> bool:
        """Whether this key of the main model's parameters comes from the start of the run, not from the scenario."""
        options, key = self._options, rest.partition(".")[0]
        match name:
            case "scene":
                return key in options.scene
            case "source":
                own_source = self._scenario.file.source
                own_options = (
                    set()
                    if own_source is None or isinstance(own_source, str)
                    else own_source.model_fields_set
                )
                return options.source is not None and key not in own_options
            case _:
                return name == ENGINE and options.engine is not None


def _plain_value(request: ParameterRequest, raw: Any, make_error: MakeError) -> Any:
    """Return a number, a text or another value that does not refer to the scene."""
    if request.kind not in _PLAIN_TYPES:
        return raw
    adapter, type_words = _PLAIN_TYPES[request.kind]
    try:
        return adapter.validate_python(raw, strict=True)
    except ValidationError:
        raise make_error(type_words + (f" in {request.unit}" if request.unit else "")) from None


def _is_known(raw: Any, names: Container[str]) -> bool:
    return isinstance(raw, str) and raw in names


def _pose(raw: Any, known: KnownScene, make_error: MakeError) -> list[float]:
    if isinstance(raw, str):
        if (raw, POSE.name) not in known.values:
            raise make_error("seven numbers, or an entity with a pose")
        return [float(x) for x in known.values[raw, POSE.name].data[:7]]
    try:
        return check(Pose7, raw)
    except BadInput as error:
        raise make_error(error.expected or "") from None


def _entities(raw: Any, known: KnownScene, make_error: MakeError) -> list[str]:
    if isinstance(raw, str):
        return matching_entities(raw, known.entities.values())
    parts = [_names_of_item(item, known) for item in raw] if isinstance(raw, list) else [[]]
    if not all(parts):
        expected = "a tag, a pattern such as box_*, or a list of patterns and entities: "
        raise make_error(expected + some(known.entities, 20))
    return list(dict.fromkeys(name for part in parts for name in part))


def _names_of_item(item: Any, known: KnownScene) -> list[str]:
    """Entities that an item of a list means: an entity, or those of a pattern; empty if there are none."""
    if _is_known(item, known.entities):
        return [item]
    is_pattern = isinstance(item, str) and set(item) & set("*?")
    return matching_entities(item, known.entities.values()) if is_pattern else []


def matching_entities(text: str, entities: Iterable[Entity]) -> list[str]:
    """Names of the entities with a tag; or of the objects that match a pattern with ``*`` or ``?``.

    A pattern that matches no object may match links of robots.
    """
    if not set(text) & set("*?"):
        return [e.name for e in entities if text in e.tags]
    matches = [e for e in entities if fnmatchcase(e.name, text)]
    objects = [e.name for e in matches if e.kind is EntityKind.OBJECT]
    return objects or [e.name for e in matches if e.kind is EntityKind.LINK]


def parameters_of(
    scenario: Scenario, plan: ModelPlan, requests: Sequence[ParameterRequest]
) -> dict[str, Any]:
    """Return a model's parameters from a scenario without its source, for a model outside of a run.

    Args:
        scenario: the model's scenario.
        plan: the model.
        requests: its parameters.

    Raises:
        BadInput: if one cannot be resolved.
    """
    resolver = ParameterResolver(scenario, RunOptions(no_source=True))
    return resolver.resolve(plan, requests)
