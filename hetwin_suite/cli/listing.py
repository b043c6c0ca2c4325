"""`hetwin models`, `hetwin evaluators`, `hetwin schema`: what there is to write a scenario with."""

from __future__ import annotations

import json

from hetwin_suite.cli.options import AsJson


def models(as_json: AsJson = False) -> None:
    """List the model types that are installed.

    Example: hetwin models
    """
    from rich.console import Console
    from rich.table import Table

    from hetwin_suite.cli.catalogue import model_rows

    rows = model_rows()
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    table = Table("type", "kind", "steps", "rate", "responsible for", "what it is")
    for row in rows:
        rate = "as main" if row["rate"] is None else f"{row['rate']:g}"
        provides = ", ".join(str(name) for name in row["provides"])
        table.add_row(row["type"], row["kind"], row["stepping"], rate, provides, row["summary"])
    Console().print(table)


def evaluators(as_json: AsJson = False) -> None:
    """List the functions that expressions in scenarios may call.

    Example: hetwin evaluators
    """
    from rich.console import Console
    from rich.table import Table

    from hetwin_suite.cli.catalogue import evaluator_rows

    rows = evaluator_rows()
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    table = Table("evaluator", "what it gives")
    for name, text in rows.items():
        table.add_row(name, text.partition("\n\n")[0].replace("\n", " "))
    Console().print(table)


def schema() -> None:
    """Print the JSON Schema of scenario files, for editors that complete YAML.

    Example: hetwin schema > scenario.schema.json
    """
    from hetwin_core.ensemble.scenario.schema import json_schema

    print(json.dumps(json_schema(), indent=2))
