"""The sources that a scenario or the start of a run names, as passed to the main model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import DATA_SCHEME, data_hint
from hetwin_core.ensemble.scenario.recorded import recording_of
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.schema import Commands
from hetwin_core.ensemble.scenario.source import SPEC_OF, SourceKind, kind_of
from hetwin_core.ensemble.triggers.schema import OnTopic

LIVE = SourceKind.LIVE.value
"""Key of a source that is a live robot."""

COMMANDS = SourceKind.COMMANDS.value
"""Key of a source of commands to the twin."""


def is_live(scenario: Scenario, options: RunOptions) -> bool:
    """Whether a source is a live robot."""
    return any(LIVE in spec for spec in source_specs(scenario, options).values())


def is_commanded(scenario: Scenario, options: RunOptions) -> bool:
    """Whether a source is commands, which the twin executes in real time."""
    return any(COMMANDS in spec for spec in source_specs(scenario, options).values())


def is_open_ended(scenario: Scenario, options: RunOptions) -> bool:
    """Whether a source ends the run by itself at an unknown time, or runs until it is stopped."""
    specs = source_specs(scenario, options).values()
    return any(kind_of(spec) in _OPEN_ENDED for spec in specs)


_WITH_TOPICS = (SourceKind.RECORDING, SourceKind.LIVE, SourceKind.COMMANDS)
_OPEN_ENDED = (
    SourceKind.LIVE,
    SourceKind.COMMANDS,
    SourceKind.PROGRAM,
    SourceKind.MODEL,
    SourceKind.PLAN,
)

SINGLE_ROBOT = ""
"""Key of the source if the scenario has only one robot."""


def source_specs(scenario: Scenario, options: RunOptions) -> dict[str, dict[str, Any]]:
    """The sources as passed to the main model, by robot, or by `SINGLE_ROBOT`; robots without a source are left out.

    Raises:
        BadInput: if the start names one source for several robots.
    """
    named = named_sources(scenario, options).items()
    found = {name: _passed_spec(scenario, spec) for name, spec in named}
    return {name: spec for name, spec in found.items() if spec is not None}


def named_sources(scenario: Scenario, options: RunOptions) -> dict[str, dict[str, Any]]:
    """The sources that the scenario or the start names, by robot, or by `SINGLE_ROBOT` with a single robot."""
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
        named = named_source(options.source)
        if kind_of(named) is None:  # options for the scenario's own
            return {SINGLE_ROBOT: _scenario_spec(scenario, scenario.file.source) | named}
        own = _scenario_spec(scenario, scenario.file.source, resolve=False)
        return {SINGLE_ROBOT: _replaced_spec(own, named)}
    if robots:
        return {name: _scenario_spec(scenario, robot.source) for name, robot in robots.items()}
    return {SINGLE_ROBOT: _scenario_spec(scenario, scenario.file.source)}


def source_spec(scenario: Scenario, options: RunOptions) -> dict[str, Any] | None:
    """The source of the only robot; None without a source, or with several robots."""
    return source_specs(scenario, options).get(SINGLE_ROBOT)


def topics_of_beliefs(scenario: Scenario, options: RunOptions) -> dict[str, str]:
    """Return the sources' topics of beliefs and tasks, with the scenario's keys that name them."""
    found: dict[str, str] = {}
    for robot, spec in named_sources(scenario, options).items():
        prefix, key = (f"{robot}: ", f"robots.{robot}.source") if robot else ("", "source")
        for index, belief in enumerate(spec.get("beliefs", ())):
            found[prefix + belief["topic"]] = f"{key}.beliefs.{index}.topic"
        for index, topic in enumerate(spec.get("tasks") or ()):
            found[prefix + topic] = f"{key}.tasks.{index}"
    return found


def _passed_spec(scenario: Scenario, spec: dict[str, Any]) -> dict[str, Any] | None:
    """A source as passed to the main model; None if there is none."""
    kind = kind_of(spec)
    if kind is None:
        return None
    commands = scenario.file.commands
    if kind is SourceKind.COMMANDS and commands is not None and not scenario.file.robots:
        spec = _command_options(commands) | spec
        if spec.get("parameters"):
            spec["parameters"] = str(scenario.path_of(spec["parameters"]) or spec["parameters"])
    trigger_topics = {t.on.topic for t in scenario.triggers if isinstance(t.on, OnTopic)}
    for part in (spec, *planned_steps(spec)):
        if isinstance(part.get("recording"), str):
            part["recording"] = recording_of(part["recording"])
        if trigger_topics and kind_of(part) in _WITH_TOPICS:
            part["topics"] = sorted({*part.get("topics", []), *trigger_topics})
    return spec


def planned_steps(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The steps of a plan that are mappings; empty if the source is no plan."""
    plan = spec.get(SourceKind.PLAN)
    return [step for step in plan if isinstance(step, dict)] if isinstance(plan, list) else []


def source_words(spec: Mapping[str, Any]) -> str:
    """A source in words: the path of a file, or its kind and value."""
    kind = kind_of(spec)
    assert kind is not None  # a source without a kind does not exist
    if kind in (SourceKind.RECORDING, SourceKind.TRAJECTORY):
        return str(spec[kind])
    if kind is not SourceKind.PLAN:
        return f"{kind.value}:{spec[kind]}"
    return f"{kind.value}: " + ", then ".join(_step_words(step) for step in planned_steps(spec))


def _step_words(step: Mapping[str, Any]) -> str:
    for key in ("recording", "operation", "trajectory"):
        if isinstance(step.get(key), str):
            return f"{key} {step[key]}"
    return "a trajectory"


def _command_options(commands: Commands) -> dict[str, Any]:
    """The controllers and topics in the scenario's `commands`, as options of a source."""
    spec: dict[str, Any] = {} if commands.base is None else {"velocity": commands.base}
    if commands.parameters is not None:
        spec["parameters"] = commands.parameters
    if commands.groups:
        spec["controllers"] = {g.controller: list(g.joints) for g in commands.groups.values()}
    return spec


def _scenario_spec(scenario: Scenario, source: Any, *, resolve: bool = True) -> dict[str, Any]:
    """A source as the scenario writes it, empty without one; with absolute paths of its files if `resolve`."""
    if isinstance(source, str):
        spec = named_source(source)
    else:
        spec = source.model_dump(mode="json", exclude_unset=True) if source else {}
    if not resolve:
        return spec
    for part in (spec, *planned_steps(spec)):
        if isinstance(part.get("recording"), str):
            part["recording"] = _recording_path(scenario, part["recording"])
        if isinstance(part.get("trajectory"), str):
            part["trajectory"] = str(scenario.path_of(part["trajectory"]) or part["trajectory"])
    kind = next((part for part in (SourceKind.PROGRAM, SourceKind.INSTALLED) if part in spec), None)
    if kind is not None:
        folder = scenario.folder_of("source", str(kind))
        spec["folder"] = str((folder / spec.get("folder", "")).resolve())
    return spec


def _replaced_spec(written: Mapping[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    """The source that the start names, with the options of the scenario's own source."""
    kinds = set(SourceKind)
    options = {key: value for key, value in written.items() if key not in kinds}
    kind = kind_of(named)
    if kind not in (None, SourceKind.RECORDING, SourceKind.LIVE):  # others have fewer options
        options = {key: options[key] for key in options if key in SPEC_OF[kind].model_fields}
    return options | named


def _recording_path(scenario: Scenario, name: str) -> str:
    """The path of the scenario's recording; one in the data folder must exist.

    Raises:
        BadInput: if a recording of the data folder does not exist.
    """
    path = scenario.path_of(name)
    if path is None and name.startswith(DATA_SCHEME):
        error = BadInput(
            "the recording does not exist",
            where="source",
            found=name,
            expected=f"{data_hint(name)}, --source another recording",
        )
        raise scenario.placed(error)
    return name if path is None else str(path)


def named_source(text: str) -> dict[str, Any]:
    """Parse a source as commands and messages name it.

    The text is ``live``, ``live:NAMESPACE``, ``commands``, ``commands:NAMESPACE``, a JSON object, a trajectory's
    YAML file, or a recording's path. A JSON object without a kind of source holds options for the scenario's own
    source.

    Raises:
        BadInput: if it begins like a JSON object but is invalid.
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
    assert isinstance(spec, dict)  # JSON that begins with a brace is an object
    return spec


def _kind_of_file(path: Path) -> SourceKind:
    """The kind of a source file; ``metadata.yaml`` of a recording is not a trajectory."""
    if path.suffix in (".yaml", ".yml") and path.stem != "metadata":
        return SourceKind.TRAJECTORY
    return SourceKind.RECORDING
