"""The page of a night: a self-contained HTML file with a table that can be filtered and sorted, and its counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hetwin_night.recordings import START
from hetwin_night.row import Row

_HERE = Path(__file__).resolve().parent


def night_page(rows: Sequence[Row], scenario: str, summary: str) -> str:
    """Return the page of a night.

    Args:
        rows: rows in their initial order.
        scenario: name of the scenario.
        summary: counts of outcomes as text.
    """
    about = dict.fromkeys(name for row in rows for name in row.about if name != START)
    content = {
        "rows": [_row_data(row) for row in rows],
        "claims": list(dict.fromkeys(name for row in rows for name in row.claims)),
        "about": list(about),
    }
    data = json.dumps(content).replace("<", "\\u003c")
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("night.html").render(
        title=f"Night: {scenario}",
        summary=summary,
        rows=Markup(data),  # JSON without a `<`, which cannot end its element
        script=Markup((_HERE / "night.js").read_text(encoding="utf-8")),
        footer="A claim holds, does not hold, or is not known. What was not checked is not judged.",
    )


def _row_data(row: Row) -> dict[str, object]:
    start = row.about.get(START)
    metadata = {name: value for name, value in row.about.items() if name != START}
    return {**row.to_json(), "about": metadata, **({} if start is None else {"start": start})}
