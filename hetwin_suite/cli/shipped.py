"""The scenarios that come with hetwin: what each shows, what it needs, whether that is there, how to run it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, Field

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import installs
from hetwin_core.ensemble.resources import DATA_SCHEME, find, names_of, wanted_data
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
from hetwin_core.ensemble.validation import check

EXTRA = "package://example-robot-data/"


class Need(BaseModel):
    """What a scenario needs."""

    what: str = Field(description="in words")
    there: bool = Field(description="whether it is there")
    how: str = Field(description="what to do if it is not")


class ScenarioRow(BaseModel):
    """A scenario that comes with hetwin, as `hetwin list scenarios --json` prints it."""

    name: str = Field(description="as commands take it")
    file: str = Field(description="its path")
    description: str = Field(description="what it shows")
    needs: list[Need] = Field(description="what it needs beside hetwin itself")
    ready: bool = Field(description="whether all of that is there")
    variants: list[str] = Field(description="names for --variant")
    run: list[str] = Field(description="the commands that run it from here, in order")


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

        how = installs("robots")
        yield Need(what="the extra robots", there=example_robots() is not None, how=how)
    if urdf is not None and urdf.startswith(DATA_SCHEME):
        yield _data(urdf)


def _source(file: ScenarioFile, commands: Sequence[str], base: Path) -> Iterator[Need]:
    source = file.source
    name = source.recording if isinstance(source, RecordingSpec) else source
    if isinstance(source, LiveSpec) or name == "live":
        yield Need(what="a robot that runs", there=True, how=commands[-1])
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
    """A file of the data folder."""
    what = f"{name.removeprefix(DATA_SCHEME)} of the data folder"
    return Need(what=what, there=find(name) is not None, how=wanted_data(name))


def _named_source(command: str) -> str | None:
    words = shlex.split(command)
    return words[words.index("--source") + 1] if "--source" in words[:-1] else None
