"""`hetwin list`: models, evaluators, robots, scenarios and schemas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite._commands.options import model_types
from hetwin_suite._commands.result import Result, json_text, table

if TYPE_CHECKING:
    from hetwin_suite.cli.catalogue import ModelRow, ScenarioRow


class Schema(StrEnum):
    """Documents with a JSON Schema."""

    SCENARIO = "scenario"
    MODEL = "model"
    SCENARIOS = "scenarios"
    NEW = "new"
    LIBRARY = "library"


def models(
    model_type: Annotated[
        str | None,
        typer.Argument(
            metavar="TYPE",
            help="show this type, or MODULE:CLASS, with its parameters",
            autocompletion=model_types,
        ),
    ] = None,
) -> Result:
    """List the installed model types, or show what one of them declares.

    With TYPE: its parameters with unit, default and meaning, the attributes that it can be responsible for, how it
    steps, and the events that it raises. `hetwin list schema model` describes the JSON.

    For example:

    hetwin list models

    hetwin list models in_hand_localization
    """
    from hetwin_suite.cli.catalogue import model_row, model_rows, stepping_text

    if model_type is not None:
        row = model_row(model_type)
        return Result(row, _declaration_lines(row))
    rows = model_rows()
    header = ("type", "steps", "what it is")
    lines = [(row.type, stepping_text(row), row.summary) for row in rows]
    return Result(rows, table(header, lines))


def _declaration_lines(row: ModelRow) -> Iterator[str]:
    from hetwin_suite.cli.catalogue import attribute_text, default_text, stepping_text

    responsible = ", ".join(map(attribute_text, row.attributes)) or "nothing"
    yield f"{row.type}: {row.summary}\n"
    yield from table(("steps", stepping_text(row)), [("responsible for", responsible)])
    if row.parameters:
        yield from (
            "",
            *table(
                ("parameter", "kind", "unit", "default", "meaning"),
                [(p.name, p.kind, p.unit, default_text(p), p.description) for p in row.parameters],
            ),
        )
    if row.raises:
        yield from (
            "",
            *table(("event", "what has happened: its arguments"), list(row.raises.items())),
        )


def scenarios() -> Result:
    """List the scenarios that come with hetwin: what each shows, what it needs, and the commands that run it.

    Example: hetwin list scenarios
    """
    from hetwin_suite.cli.catalogue import scenario_rows

    rows = scenario_rows()
    return Result(rows, _scenario_lines(rows))


def _scenario_lines(rows: Sequence[ScenarioRow]) -> Iterator[str]:
    width = max(len(row.name) for row in rows)
    for row in rows:
        yield f"{row.name:{width}}  {'ready' if row.ready else 'NEEDS'}  {row.description}"
        for need in row.needs:
            yield f"    needs {need.what}: {'there' if need.there else f'not there; {need.how}'}"
        for command in row.run:
            yield f"    $ {command}"
        if row.variants:
            yield f"    --variant {', '.join(row.variants)}"


def evaluators() -> Result:
    """List the functions that expressions in scenarios may call.

    Example: hetwin list evaluators
    """
    from hetwin_suite.cli.catalogue import evaluator_rows

    rows = evaluator_rows()
    summaries = [
        (name, text.partition("\n\n")[0].replace("\n", " ")) for name, text in rows.items()
    ]
    return Result(rows, table(("evaluator", "what it gives"), summaries))


def robots() -> Result:
    """List the robots that have a name: hetwin's, those of packages, and those of the extra robots.

    Example: hetwin list robots
    """
    from hetwin_core.ensemble.resources import known_robots, moving_joints

    rows = [
        {"name": name, "file": str(robot.file), "joints": len(moving_joints(robot.file))}
        for name, robot in sorted(known_robots().items())
    ]
    cells = [(str(row["name"]), str(row["joints"]), str(row["file"])) for row in rows]
    return Result(rows, table(("robot", "joints that move", "file"), cells))


def schema(
    what: Annotated[
        Schema,
        typer.Argument(
            help="scenario: scenario files; library: libraries of strategies; model, scenarios, new: what "
            "`list models TYPE --json`, `list scenarios --json` and `new --json` print"
        ),
    ] = Schema.SCENARIO,
) -> Result:
    """Print the JSON Schema of scenario files, for editors that complete YAML, or of what a command prints.

    Example: hetwin list schema > scenario.schema.json
    """
    if what is Schema.MODEL:
        from hetwin_suite.cli.catalogue import ModelRow

        found = ModelRow.model_json_schema()
    elif what is Schema.SCENARIOS:
        from hetwin_suite.cli.catalogue import ScenarioRow

        found = {"type": "array", "items": ScenarioRow.model_json_schema()}
    elif what is Schema.NEW:
        from hetwin_suite.scaffolding.written import NewScenario

        found = NewScenario.model_json_schema()
    elif what is Schema.LIBRARY:
        from hetwin_core.ensemble.installed import import_library

        needed = "libraries of strategies are in a package of their own"
        found = import_library("futures", "hetwin_futures.strategies", needed).json_schema()
    else:
        from hetwin_core.ensemble.scenario.schema import json_schema

        found = json_schema()
    return Result(found, [json_text(found)])
