"""Writes docs/reference/views.md, the tables that SQL reads, from their columns.

Usage: make_views_page.py; a test of the plugin holds the page and the columns equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hetwin_sql.views import VIEWS, Column

PAGE = Path(__file__).resolve().parent / "reference" / "views.md"
INTRODUCTION = """\
# Tables of an episode

What `hetwin ask --sql` reads and `hetwin show --out FOLDER` writes ([how](../asking.md#in-sql-and-as-parquet)).
This page is written by `docs/make_views_page.py`. Times are seconds of simulated time, absent values are NULL, `row` is
the number that the evidence of `hetwin ask` names. Intervals are half open.
"""
ABOUT = {
    "occasions": "Fluents that held in the world. A stretch without a row may be one that nobody saw: see `truths`.",
    "truths": "Fluents that the run checked, for each entity over the whole episode. `holds` is NULL where not known.",
    "coverage": "When each [claim](../robot_health.md) was checked, and when not.",
    "events": "Reported by models, triggers and the robot's program, or derived from the states.",
    "tasks": "Tasks of the robot's program.",
    "beliefs": "Beliefs of the robot, each until the next about the same.",
    "belief_errors": "Where a belief was wrong.",
    "poses": "Poses of entities; a new row when one changes by 0.1 mm, or a part of its quaternion by 0.001.",
    "episodes": "The episodes that are asked.",
}


def page() -> str:
    """Return the whole page."""
    return "\n".join([INTRODUCTION, *(_view(name, columns) for name, columns in VIEWS.items())])


def _view(name: str, columns: tuple[Column, ...]) -> str:
    head = f"## {name}\n\n{ABOUT[name]}\n\n| column | type | holds |\n|---|---|---|\n"
    return head + "".join(_rows(columns))


def _rows(columns: tuple[Column, ...]) -> Iterator[str]:
    for column in columns:
        kind = f"{column.type}, or NULL" if column.optional else column.type
        yield f"| `{column.name}` | {kind} | {column.about} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
