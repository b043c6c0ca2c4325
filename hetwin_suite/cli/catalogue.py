"""Catalogues of models, evaluators, robots and scenarios, as rows and as JSON."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from hetwin_core.ensemble.catalogue import declare_model, model_class, model_types
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.installed import install_command
from hetwin_core.ensemble.model import Model, Stepping
from hetwin_core.ensemble.parameters import ParameterKind
from hetwin_core.ensemble.resources import DATA_SCHEME, data_hint, find, names_of
from hetwin_core.ensemble.scenario.robot import Robot
from hetwin_core.ensemble.scenario.scenario import example_of, find_scenario
from hetwin_core.ensemble.scenario.schema import ScenarioFile
from hetwin_core.ensemble.scenario.source import (
    CommandsSpec,
    LiveSpec,
    ModelSpec,
    ProgramSpec,
    RecordingSpec,
    TrajectorySpec,
)
from hetwin_core.ensemble.scenario.strict_yaml import load_with_base
from hetwin_core.ensemble.scene.values import ANY_ATTRIBUTE
from hetwin_core.ensemble.validation import check

AS_MAIN = "as main"


class ParameterRow(BaseModel):
    """A parameter of a model type."""

    name: str = Field(description="key under `parameters` of a model in a scenario")
    kind: ParameterKind = Field(description="kind of its value")
    required: bool = Field(description="whether a scenario must give it")
    default: Any = Field(description="its value if a scenario does not give it; null: none")
    unit: str = Field(description="unit of its numbers; empty: none")
    description: str = Field(description="what it means")


class AttributeRow(BaseModel):
    """An attribute that models of a type can be responsible for."""

    name: str = Field(description="its name in responsibilities and triggers")
    size: int = Field(description="number of values; 0: depends on the entity, e.g. one per joint")
    unit: str = Field(description="unit of the numbers; empty: none")


class ModelRow(BaseModel):
    """Declaration of a model type, as printed by `hetwin list models TYPE --json`."""

    type: str = Field(description="name of the type, or MODULE:CLASS")
    stepping: Stepping | None = Field(
        description="how it steps unless a scenario says otherwise; null: the type cannot be used"
    )
    rate: float | None = Field(description="steps per simulated second; null: main model's")
    provides: list[str] = Field(description="names of the attributes below")
    parameters: list[ParameterRow] = Field(description="parameters that a scenario can set")
    summary: str = Field(description="description; or why the type cannot be used")
    attributes: list[AttributeRow] = Field(description="attributes that it can be responsible for")
    raises: dict[str, str] = Field(description="event -> its meaning: its arguments")


def model_rows() -> list[ModelRow]:
    """Declarations of the installed model types; an unusable type's summary has the reason."""
    return [_row_of(name) for name in model_types()]


def model_row(name: str) -> ModelRow:
    """Declaration of one model type.

    Args:
        name: name of an installed type, or MODULE:CLASS.

    Raises:
        BadInput: if there is no such type.
    """
    return _row_of_class(name, model_class(name))


def evaluator_rows() -> dict[str, str]:
    """Evaluator -> its docstring, sorted by name."""
    return {name: inspect.getdoc(f) or "" for name, f in sorted(all_evaluators().items())}


def stepping_text(row: ModelRow) -> str:
    """Describe how a model steps, and its rate."""
    if row.stepping is None:
        return "?"
    return f"{row.stepping}, {AS_MAIN if row.rate is None else f'{row.rate:g}/s'}"


def attribute_text(row: AttributeRow) -> str:
    """Describe an attribute and its unit."""
    if row.name == ANY_ATTRIBUTE.name:
        return f"{row.name} (those named by its parameters)"
    return f"{row.name} [{row.unit}]" if row.unit else row.name


def default_text(row: ParameterRow, show: Callable[[Any], str] = str) -> str:
    """Describe the default of a parameter."""
    if row.required:
        return "required"
    return "none" if row.default is None else show(row.default)


def _row_of(name: str) -> ModelRow:
    try:
        return model_row(name)
    except BadInput as error:
        return ModelRow(
            type=name,
            stepping=None,
            rate=None,
            provides=[],
            parameters=[],
            summary=f"cannot be used: {error}",
            attributes=[],
            raises={},
        )


def _row_of_class(name: str, cls: type[Model]) -> ModelRow:
    declare_model(cls)
    return ModelRow(
        type=name,
        stepping=cls.stepping,
        rate=cls.rate,
        provides=[spec.name for spec in cls.provides],
        parameters=[
            ParameterRow.model_validate(request, from_attributes=True) for request in cls.requests()
        ],
        summary=cls.summary,
        attributes=[
            AttributeRow.model_validate(spec, from_attributes=True) for spec in cls.provides
        ],
        raises=dict(cls.raises),
    )


EXTRA = "package://example-robot-data/"


class Need(BaseModel):
    """A prerequisite of a scenario."""

    what: str = Field(description="the prerequisite, in words")
    there: bool = Field(description="whether it is present")
    how: str = Field(description="how to get it if it is missing")


class ScenarioRow(BaseModel):
    """A scenario that comes with hetwin, as printed by `hetwin list scenarios --json`."""

    name: str = Field(description="its name in commands")
    file: str = Field(description="its path")
    description: str = Field(description="what it shows")
    needs: list[Need] = Field(description="prerequisites beside hetwin itself")
    ready: bool = Field(description="whether all prerequisites are present")
    variants: list[str] = Field(description="names for --variant")
    run: list[str] = Field(description="commands that run it from the current directory, in order")


def scenario_rows() -> list[ScenarioRow]:
    """All scenarios that come with hetwin, by name.

    Raises:
        BadInput: if one of them cannot be read.
    """
    return [_row(name) for name in names_of("scenarios", ".yaml")]


def _row(name: str) -> ScenarioRow:
    path = find_scenario(name)
    document = load_with_base(path)
    try:
        file = check(ScenarioFile, document.data)
    except BadInput as error:
        raise document.placed(error, path) from None
    commands = example_of(file, name)
    needs = [*_robot(file), *_source(file, commands, path.parent)]
    missing = [need for need in needs if not need.there]
    return ScenarioRow(
        name=name,
        file=str(path),
        description=file.description,
        needs=needs,
        ready=not missing,
        variants=list(file.variants),
        run=list(commands) if missing else list(commands[-1:]),
    )


def _robot(file: ScenarioFile) -> Iterator[Need]:
    urdf = file.robot.urdf if isinstance(file.robot, Robot) else file.robot
    if urdf is not None and urdf.startswith(EXTRA):
        from hetwin_core.ensemble.resources import example_robots

        how = install_command("robots")
        yield Need(what="the extra robots", there=example_robots() is not None, how=how)
    if urdf is not None and urdf.startswith(DATA_SCHEME):
        yield _data(urdf)


def _source(file: ScenarioFile, commands: Sequence[str], base: Path) -> Iterator[Need]:
    source = file.source
    name = source.recording if isinstance(source, RecordingSpec) else source
    if isinstance(source, LiveSpec) or name == "live":
        yield Need(what="a running robot", there=True, how=commands[-1])
    elif (
        isinstance(source, CommandsSpec | TrajectorySpec | ProgramSpec | ModelSpec)
        or name == "commands"
    ):
        return
    elif isinstance(name, str) and name.startswith(DATA_SCHEME):
        yield _data(name)
    elif isinstance(name, str):
        there = find(name, base) is not None
        how = "a complete installation of hetwin"
        yield Need(what="a recording that comes with it", there=there, how=how)
    elif (recording := _named_source(commands[-1])) is not None:
        how = " && ".join(commands[:-1])
        yield Need(what=f"the recording {recording}", there=Path(recording).exists(), how=how)


def _data(name: str) -> Need:
    """The need for a file of the data folder."""
    what = f"{name.removeprefix(DATA_SCHEME)} of the data folder"
    return Need(what=what, there=find(name) is not None, how=data_hint(name))


def _named_source(command: str) -> str | None:
    words = shlex.split(command)
    return words[words.index("--source") + 1] if "--source" in words[:-1] else None
