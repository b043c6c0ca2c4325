"""`hetwin models`, `hetwin evaluators`, `hetwin schema`: what there is to write a scenario with."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite.cli import completion
from hetwin_suite.cli.options import AsJson

if TYPE_CHECKING:
    from hetwin_suite.cli.catalogue import ModelRow


class Schema(StrEnum):
    """What has a JSON Schema."""

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
            help="one of them, or MODULE:CLASS, with its parameters",
            autocompletion=completion.model_types,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the model types that are installed, or say what one of them declares.

    Of one: parameters with unit, default and meaning, the attributes that it can be responsible for, how it steps, and
    the events that it raises. `hetwin schema model` describes the JSON.

    For example:

    hetwin models

    hetwin models in_hand_localization
    """
    from hetwin_suite.cli.catalogue import model_row, model_rows

    if model_type is None:
        rows = model_rows()
        if as_json:
            print(json.dumps([row.model_dump(mode="json") for row in rows], indent=2))
        else:
            _list(rows)
        return
    row = model_row(model_type)
    if as_json:
        print(row.model_dump_json(indent=2))
    else:
        _show(row)


def _list(rows: list[ModelRow]) -> None:
    from hetwin_suite.cli.catalogue import steps
    from hetwin_suite.cli.tables import show_table

    header = ("type", "kind", "steps", "what it is")
    show_table(header, [(row.type, steps(row), row.summary) for row in rows])


def _show(row: ModelRow) -> None:
    from hetwin_suite.cli.catalogue import attribute, default, steps
    from hetwin_suite.cli.tables import show_table

    print(f"{row.type}: {row.summary}\n")
    facts = (
        ("steps", steps(row)),
        ("responsible for", ", ".join(map(attribute, row.attributes)) or "nothing"),
    )
    show_table(*_headless(facts))
    if row.parameters:
        print()
        show_table(
            ("parameter", "kind", "unit", "default", "meaning"),
            [(p.name, p.kind, p.unit, default(p), p.description) for p in row.parameters],
        )
    if row.raises:
        print()
        show_table(("event", "what has happened: its arguments"), list(row.raises.items()))


def _headless(rows: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    return rows[0], list(rows[1:])


def scenarios(as_json: AsJson = False) -> None:
    """List the scenarios that come with hetwin: what each shows, what it needs, and the commands that run it.

    Example: hetwin scenarios
    """
    from hetwin_suite.cli.shipped import scenario_rows

    rows = scenario_rows()
    if as_json:
        print(json.dumps([row.model_dump(mode="json") for row in rows], indent=2))
        return
    width = max(len(row.name) for row in rows)
    for row in rows:
        print(f"{row.name:{width}}  {'ready' if row.ready else 'NEEDS'}  {row.description}")
        for need in row.needs:
            print(f"    needs {need.what}: {'there' if need.there else f'not there; {need.how}'}")
        for command in row.run:
            print(f"    $ {command}")
        if row.variants:
            print(f"    --variant {', '.join(row.variants)}")


def evaluators(as_json: AsJson = False) -> None:
    """List the functions that expressions in scenarios may call.

    Example: hetwin evaluators
    """
    from hetwin_suite.cli.catalogue import evaluator_rows
    from hetwin_suite.cli.tables import show_table

    rows = evaluator_rows()
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    firsts = [(name, text.partition("\n\n")[0].replace("\n", " ")) for name, text in rows.items()]
    show_table(("evaluator", "what it gives"), firsts)


def schema(
    what: Annotated[
        Schema,
        typer.Argument(
            help="scenario: scenario files; library: libraries of strategies; model, scenarios, new: what "
            "`models TYPE --json`, `scenarios --json` and `new --json` print"
        ),
    ] = Schema.SCENARIO,
) -> None:
    """Print the JSON Schema of scenario files, for editors that complete YAML, or of what a command prints.

    Example: hetwin schema > scenario.schema.json
    """
    if what is Schema.MODEL:
        from hetwin_suite.cli.catalogue import ModelRow

        found = ModelRow.model_json_schema()
    elif what is Schema.SCENARIOS:
        from hetwin_suite.cli.shipped import ScenarioRow

        found = {"type": "array", "items": ScenarioRow.model_json_schema()}
    elif what is Schema.NEW:
        from hetwin_suite.scaffolding.printed import NewScenario

        found = NewScenario.model_json_schema()
    elif what is Schema.LIBRARY:
        from hetwin_suite.futures.deciding import library

        found = library.json_schema()
    else:
        from hetwin_core.ensemble.scenario.schema import json_schema

        found = json_schema()
    print(json.dumps(found, indent=2))
