"""A night as one HTML file that loads nothing: it filters, sorts, and counts outcomes."""

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
        rows: in the order in which they are shown first.
        scenario: its name.
        summary: in words.
    """
    about = dict.fromkeys(name for row in rows for name in row.about if name != START)
    told = {
        "rows": [_told(row) for row in rows],
        "claims": list(dict.fromkeys(name for row in rows for name in row.claims)),
        "about": list(about),
    }
    data = json.dumps(told).replace("<", "\\u003c")
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


def _told(row: Row) -> dict[str, object]:
    start = row.about.get(START)
    rest = {name: value for name, value in row.about.items() if name != START}
    return {**row.to_json(), "about": rest, **({} if start is None else {"start": start})}
