"""Resolves the parameters that a model requests from its entry, the scenario and the scene."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import ParameterKind, ParameterRequest
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.resources import DATA_SCHEME, wanted_data
from hetwin_core.ensemble.scenario.commands import Commands
from hetwin_core.ensemble.scenario.episode_folder import believed_scene, recording_of
from hetwin_core.ensemble.scenario.handed_over import handed_over
from hetwin_core.ensemble.scenario.robot import Robot
from hetwin_core.ensemble.scenario.scenario import ModelPlan, Scenario
from hetwin_core.ensemble.scenario.schema import SceneEntry
from hetwin_core.ensemble.scenario.source import SPEC_OF, SourceKind, kind_of
from hetwin_core.ensemble.scene.hands import HandDescription
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE, Value
from hetwin_core.ensemble.scene.watch import WatchLayout
from hetwin_core.ensemble.triggers.schema import OnTopic
from hetwin_core.ensemble.validation import Number, Pose7, Whole, check

LIVE = SourceKind.LIVE.value
"""Key of a source that is a robot that runs now."""

COMMANDS = SourceKind.COMMANDS.value
"""Key of a source that is commands to the twin."""

ENGINE = "engine"
"""The main model's parameter that the start of a run may override."""

FROM_START = "the start of the run"
"""Where an error is that is not in the scenario's file."""

_PLAIN: Mapping[ParameterKind, tuple[TypeAdapter[Any], str]] = {
    ParameterKind.NUMBER: (TypeAdapter(Number), "a number"),
    ParameterKind.INTEGER: (TypeAdapter(Whole), "a whole number"),
    ParameterKind.TEXT: (TypeAdapter(str), "text"),
    ParameterKind.BOOLEAN: (TypeAdapter(bool), "true or false"),
    ParameterKind.VECTOR: (TypeAdapter(list[Number]), "a list of numbers"),
}
"""Types of the parameters that refer to nothing in the scene, and what they are called."""

_GIVEN_BY_NONE = (ParameterKind.WATCH, ParameterKind.URDF)
"""Types of the parameters that come from the main model, never from a scenario."""

Wrong: TypeAlias = Callable[[str], BadInput]
"""Makes the error about a value from what was expected."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known so far.

    Entities, values of their attributes, the models' ids by name, the watched robot, and its URDF.
    """

    entities: Mapping[str, Entity]
    values: Mapping[tuple[str, str], Value]
    ids: Mapping[str, str]
    watch: WatchLayout | None = None
    robot_description: str = ""


class ParameterResolver:
    """Finds the values of parameters.

    A value comes from the model's entry in the scenario, else from the scenario's key of the same name, else
    from the request's default. The main model's engine comes from the options, if they name one.
    """

    def __init__(self, scenario: Scenario, options: RunOptions) -> None:
        self._scenario = scenario
        self._options = options
        self._shared = _shared(scenario, options)

    def resolve(
        self, plan: ModelPlan, requests: Sequence[ParameterRequest], known: Known
    ) -> dict[str, Any]:
        """The values of all parameters of one model.

        Raises:
            BadInput: naming model and parameter, if one cannot be resolved or was not requested.
        """
        names = {request.name for request in requests if request.kind not in _GIVEN_BY_NONE}
        for name in plan.parameters:
            if name not in names:
                raise self._error(
                    plan,
                    name,
                    "the model has no such parameter",
                    name,
                    one_of(name, sorted(names)),
                )
        return {request.name: self._one(plan, request, known) for request in requests}

    def _one(self, plan: ModelPlan, request: ParameterRequest, known: Known) -> Any:
        if request.kind is ParameterKind.WATCH:
            return None if known.watch is None else known.watch.to_json()
        if request.kind is ParameterKind.URDF:
            return known.robot_description
        if request.name == ENGINE and plan.main and self._options.engine is not None:
            raw: Any = self._options.engine
        elif request.name in plan.parameters:
            raw = plan.parameters[request.name]
        elif plan.main and self._shared.get(request.name) is not None:
            raw = self._shared[request.name]
        elif request.required:
            expected = f"a value ({request.kind}): {request.description}"
            raise self._error(plan, request.name, "this parameter is missing", None, expected)
        elif request.default is None:
            return None
        else:
            raw = request.default
        return self._converted(plan, request, raw, known)

    def _converted(self, plan: ModelPlan, request: ParameterRequest, raw: Any, known: Known) -> Any:
        def wrong(expected: str) -> BadInput:
            return self._error(plan, request.name, "this value cannot be used", raw, expected)

        match request.kind:
            case ParameterKind.ENTITY:
                if not _is_known(raw, known.entities):
                    raise wrong("an entity: " + _some(known.entities))
                return raw
            case ParameterKind.ENTITIES:
                return _entities(raw, known, wrong)
            case ParameterKind.HAND:
                return self._hand(raw, known, wrong)
            case ParameterKind.MODEL:
                if not _is_known(raw, known.ids):
                    raise wrong("a model: " + ", ".join(known.ids))
                return known.ids[raw]
            case ParameterKind.POSE:
                return _pose(raw, known, wrong)
            case ParameterKind.PATH:
                return self._path(raw, wrong)
            case _:
                return _plain(request, raw, wrong)

    def _path(self, raw: Any, wrong: Wrong) -> str:
        path = self._scenario.path_of(raw) if isinstance(raw, str) else None
        if path is None:
            raise wrong("a file, relative to the scenario or among hetwin's own")
        return str(path)

    def _hand(self, raw: Any, known: Known, wrong: Wrong) -> dict[str, Any]:
        hands = [e.name for e in known.entities.values() if e.kind is EntityKind.HAND]
        if raw not in hands:
            raise wrong("a hand of the scenario: " + (", ".join(hands) or "there is none"))
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
                finger_links=_finger_links(links, entity),
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
        """A model's error about one of its parameters, with the file, the line and the key of the scenario.

        An error about a file of the model's own, or about something else than a parameter, stays as it is.
        """
        given = error.where or ""
        name, _, rest = given.partition(".")
        if error.file is not None or not name.isidentifier():  # a topic is no parameter
            return error
        file, where = None, f"{plan.parameters_at}.{given}"
        if plan.main and self._is_from_start(name, rest):
            file, where = FROM_START, given
        elif name not in plan.parameters and plan.main and self._shared.get(name) is not None:
            where = given
        elif name == ENGINE and self._is_short(plan):
            where = f"models.{plan.name}.{ENGINE}"
        return self._scenario.placed(error.at(where, file))

    def _is_short(self, plan: ModelPlan) -> bool:
        """Whether the engine is not among the model's parameters, but beside them."""
        entry = self._scenario.file.models.get(plan.name)
        return entry is not None and ENGINE not in entry.parameters

    def _is_from_start(self, name: str, rest: str) -> bool:
        """Whether the start of the run, not the scenario, has given this key of the main model's parameters."""
        options, key = self._options, rest.partition(".")[0]
        match name:
            case "scene":
                return key in options.scene
            case "source":
                written = self._scenario.file.source
                kept = (
                    set()
                    if written is None or isinstance(written, str)
                    else written.model_fields_set
                )
                return options.source is not None and key not in kept
            case _:
                return name == ENGINE and options.engine is not None


def _shared(scenario: Scenario, options: RunOptions) -> dict[str, Any]:
    """The scenario's own keys that the main model may request."""
    file = scenario.file
    try:
        check(dict[str, SceneEntry], options.scene, "scene")
        believed = _believed(scenario, options)
    except BadInput as error:
        raise error.at(error.where, FROM_START) from None
    robot = Robot(urdf=file.robot) if isinstance(file.robot, str) else file.robot
    scene = {name: _placed_model(scenario, entry) for name, entry in file.scene.items()}
    return {
        "world": file.world,
        "robot": _robot(scenario, robot) if robot else None,
        "robots": _robots(scenario, options),
        "packages": package_folders(scenario, options),
        "hands": [{"name": name, **hand.model_dump()} for name, hand in file.hands.items()],
        "entities": {name: notes.model_dump() for name, notes in file.entities.items()},
        "source": source_spec(scenario, options),
        "scene": _laid(scene, believed, options.scene),
        "rate": file.rate,
        "handed_over": handed_over(scenario),
    }


def _laid(*scenes: Mapping[str, Any]) -> dict[str, Any]:
    """Scenes laid over each other; an object that an earlier one adds keeps its file if a later one only places it."""
    laid: dict[str, Any] = {}
    for scene in scenes:
        for name, entry in scene.items():
            laid[name] = {**laid.get(name, {}), **entry}
    return laid


def _believed(scenario: Scenario, options: RunOptions) -> dict[str, Any]:
    """The scene that comes with the source, if that is an episode's folder.

    Raises:
        BadInput: if it cannot be used.
    """
    path = _named(scenario, options).get(ONLY, {}).get("recording")
    scene = believed_scene(path) if isinstance(path, str) else {}
    check(dict[str, SceneEntry], scene, "scene")
    return scene


def _placed_model(scenario: Scenario, entry: SceneEntry) -> dict[str, Any]:
    """An entry of the scene; the file of an object is relative to the scenario, if there is one, or to the world."""
    data = entry.model_dump(exclude_none=True)
    if entry.model is not None and "://" not in entry.model:
        path = scenario.path.parent / Path(entry.model).expanduser()
        data["model"] = str(path.resolve()) if path.exists() else entry.model
    return data


def package_folders(scenario: Scenario, options: RunOptions) -> dict[str, str]:
    """The folders of packages that scenario and start of the run name, absolute.

    Raises:
        BadInput: if one is no folder.
    """
    folders: dict[str, str] = {}
    for name, text in scenario.file.packages.items():
        folder = (scenario.path.parent / Path(text).expanduser()).resolve()
        if not folder.is_dir():
            raise scenario.placed(_no_package(name, text, f"packages.{name}"))
        folders[name] = str(folder)
    for name, text in options.packages.items():
        folder = Path(text).expanduser().resolve()
        if not folder.is_dir():
            raise _no_package(name, text, f"--package {name}")
        folders[name] = str(folder)
    return folders


def _no_package(name: str, text: str, where: str) -> BadInput:
    expected = f"the folder of the package {name}, with what package://{name}/ refers to"
    return BadInput("this is no folder", where=where, found=text, expected=expected)


def _robots(scenario: Scenario, options: RunOptions) -> dict[str, Any]:
    """Several robots, each with its source."""
    specs = source_specs(scenario, options)
    return {
        name: {**_robot(scenario, robot, f"robots.{name}"), "source": specs.get(name)}
        for name, robot in scenario.file.robots.items()
    }


def _robot(scenario: Scenario, robot: Robot, where: str = "robot") -> dict[str, Any]:
    data = robot.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if "://" not in robot.urdf or robot.urdf.startswith(DATA_SCHEME):
        path = scenario.path_of(robot.urdf)
        if path is None:
            error = BadInput(
                "the robot's description does not exist",
                where=where,
                found=robot.urdf,
                expected=wanted_data(robot.urdf)
                if robot.urdf.startswith(DATA_SCHEME)
                else "a URDF file, relative to the scenario or among hetwin's own",
            )
            raise scenario.placed(error)
        data["urdf"] = str(path)
    return data


def is_live(scenario: Scenario, options: RunOptions) -> bool:
    """Whether a source is a robot that runs now."""
    return any(LIVE in spec for spec in source_specs(scenario, options).values())


def is_commanded(scenario: Scenario, options: RunOptions) -> bool:
    """Whether a source is commands, which the twin obeys in real time."""
    return any(COMMANDS in spec for spec in source_specs(scenario, options).values())


ONLY = ""
"""Key of the source of the only robot among those of several."""


def source_specs(scenario: Scenario, options: RunOptions) -> dict[str, dict[str, Any]]:
    """The sources as the main model gets them, by the robots' names, or by `ONLY`; without robots that have none.

    Raises:
        BadInput: if the start names one source for several robots.
    """
    named = _named(scenario, options).items()
    found = {name: _spec(scenario, spec) for name, spec in named}
    return {name: spec for name, spec in found.items() if spec is not None}


def _named(scenario: Scenario, options: RunOptions) -> dict[str, dict[str, Any]]:
    """The sources that the scenario or the start names, by the robots' names, or by `ONLY`."""
    robots = scenario.file.robots
    if robots and options.source is not None:
        raise BadInput(
            "the scenario has several robots, each with a source of its own",
            where="--source",
            found=options.source,
            expected=f"no --source, but robots.{next(iter(robots))}.source in the scenario",
        )
    if options.no_source:
        return {}
    if options.source is not None:
        own = _written(scenario, scenario.file.source, resolve=False)
        return {ONLY: _instead(own, named_source(options.source))}
    if robots:
        return {name: _written(scenario, robot.source) for name, robot in robots.items()}
    return {ONLY: _written(scenario, scenario.file.source)}


def source_spec(scenario: Scenario, options: RunOptions) -> dict[str, Any] | None:
    """The source of the only robot; None if there is none, or there are several robots."""
    return source_specs(scenario, options).get(ONLY)


def _spec(scenario: Scenario, spec: dict[str, Any]) -> dict[str, Any] | None:
    """A source as the main model gets it; None if there is none."""
    kind = kind_of(spec)
    if kind is None:
        return None
    if isinstance(spec.get("recording"), str):
        spec["recording"] = recording_of(spec["recording"])
    commands = scenario.file.commands
    if kind is SourceKind.COMMANDS and commands is not None and not scenario.file.robots:
        spec = _taken(commands) | spec
    watched = {t.on.topic for t in scenario.triggers if isinstance(t.on, OnTopic)}
    if watched and kind is not SourceKind.TRAJECTORY:
        spec["topics"] = sorted({*spec.get("topics", []), *watched})
    return spec


def _taken(commands: Commands) -> dict[str, Any]:
    """What the robot takes by what may be sent to it, as options of a source."""
    spec: dict[str, Any] = {} if commands.base is None else {"velocity": commands.base}
    if commands.groups:
        spec["controllers"] = {g.controller: list(g.joints) for g in commands.groups.values()}
    return spec


def _written(scenario: Scenario, source: Any, *, resolve: bool = True) -> dict[str, Any]:
    """A source as the scenario writes it, empty if there is none; its files by their paths if `resolve`."""
    if isinstance(source, str):
        spec = named_source(source)
    else:
        spec = source.model_dump(mode="json", exclude_unset=True) if source else {}
    if not resolve:
        return spec
    if isinstance(spec.get("recording"), str):
        spec["recording"] = _recording(scenario, spec["recording"])
    if isinstance(spec.get("trajectory"), str):
        spec["trajectory"] = str(scenario.path_of(spec["trajectory"]) or spec["trajectory"])
    return spec


def _instead(written: Mapping[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    """The source that the start names, with the options that the scenario gives its own."""
    kinds = set(SourceKind)
    options = {key: value for key, value in written.items() if key not in kinds}
    kind = kind_of(named)
    if kind in (
        SourceKind.COMMANDS,
        SourceKind.TRAJECTORY,
    ):  # those of a robot mean nothing to them
        options = {key: options[key] for key in options if key in SPEC_OF[kind].model_fields}
    return options | named


def _recording(scenario: Scenario, name: str) -> str:
    """The path of the scenario's recording; that of a data folder must be there.

    Raises:
        BadInput: if a recording of the data folder is not there.
    """
    path = scenario.path_of(name)
    if path is None and name.startswith(DATA_SCHEME):
        error = BadInput(
            "the recording is not there",
            where="source",
            found=name,
            expected=f"{wanted_data(name)}, --source another recording",
        )
        raise scenario.placed(error)
    return name if path is None else str(path)


def named_source(text: str) -> dict[str, Any]:
    """A source as commands and messages name it.

    That is ``live``, ``live:NAMESPACE``, ``commands``, ``commands:NAMESPACE``, a JSON object, a trajectory's YAML file,
    or a recording's path.

    Raises:
        BadInput: if it begins like a JSON object and is none.
    """
    kind, _, namespace = text.partition(":")
    if kind in (LIVE, COMMANDS):
        return {kind: namespace}
    if not text.lstrip().startswith("{"):
        return {_kind_of_file(Path(text)).value: text}
    try:
        spec = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"the source is not JSON: {error}",
            where="source",
            found=text[:80],
            expected="a path, live, live:NAMESPACE, commands, commands:NAMESPACE,"
            ' or JSON such as {"live": "", "timeout": 2}',
        ) from None
    assert isinstance(spec, dict)  # what begins with a brace is nothing else
    return spec


def _kind_of_file(path: Path) -> SourceKind:
    """A recording, too, has a YAML file in it, which describes it."""
    if path.suffix in (".yaml", ".yml") and path.stem != "metadata":
        return SourceKind.TRAJECTORY
    return SourceKind.RECORDING


def _finger_links(links: Sequence[Entity], hand: Entity) -> tuple[str, ...]:
    """Links that a finger joint moves, and those fixed to them."""
    of_robot = [link for link in links if link.owner == hand.owner]
    moved = {link.name for link in of_robot if link.joint in hand.joints and link.joint}
    grew = True
    while grew:
        fixed = {e.name for e in of_robot if not e.joint and e.parent in moved}
        grew = not fixed <= moved
        moved |= fixed
    return tuple(link.name for link in of_robot if link.name in moved)


def _plain(request: ParameterRequest, raw: Any, wrong: Wrong) -> Any:
    """A number, a text or the like, which refers to nothing in the scene."""
    if request.kind not in _PLAIN:
        return raw
    adapter, words = _PLAIN[request.kind]
    try:
        return adapter.validate_python(raw, strict=True)
    except ValidationError:
        raise wrong(words + (f" in {request.unit}" if request.unit else "")) from None


def _is_known(raw: Any, names: Container[str]) -> bool:
    return isinstance(raw, str) and raw in names


def _pose(raw: Any, known: Known, wrong: Wrong) -> list[float]:
    if isinstance(raw, str):
        if (raw, POSE.name) not in known.values:
            raise wrong("seven numbers, or an entity with a pose")
        return [float(x) for x in known.values[raw, POSE.name].data[:7]]
    try:
        return check(Pose7, raw)
    except BadInput as error:
        raise wrong(error.expected or "") from None


def _entities(raw: Any, known: Known, wrong: Wrong) -> list[str]:
    if isinstance(raw, str):
        return entities_meant(raw, known.entities.values())
    if not isinstance(raw, list) or not all(_is_known(name, known.entities) for name in raw):
        raise wrong(
            "a tag, a pattern such as box_*, or a list of entities: " + _some(known.entities)
        )
    return raw


def entities_meant(text: str, entities: Iterable[Entity]) -> list[str]:
    """Names of the entities with a tag; of the objects, if the text is a pattern with ``*`` or ``?``.

    A pattern that means no object may mean links of robots.
    """
    if not set(text) & set("*?"):
        return [e.name for e in entities if text in e.tags]
    meant = [e for e in entities if fnmatchcase(e.name, text)]
    objects = [e.name for e in meant if e.kind is EntityKind.OBJECT]
    return objects or [e.name for e in meant if e.kind is EntityKind.LINK]


def _some(names: Mapping[str, Any]) -> str:
    listed = list(names)
    return ", ".join(listed[:20]) + (f" and {len(listed) - 20} more" if len(listed) > 20 else "")
