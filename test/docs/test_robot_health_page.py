"""The page about concerns has the scales of the code."""

from __future__ import annotations

from pathlib import Path

from model_nodes.robot_health.settings import Scale, Settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "robot_health.md"


def rows() -> list[str]:
    """The table's rows as the code has them."""
    found = []
    for name, field in Settings.model_fields.items():
        if isinstance(scale := field.default, Scale):
            extra = field.json_schema_extra
            unit = str(extra["unit"]) if isinstance(extra, dict) else ""
            limits = (scale.note, scale.warning, scale.absurd)
            shown = ["" if limit is None else f"{limit:g}" for limit in limits]
            found.append(f"| {' | '.join([f'`{name}`', field.description or '', unit, *shown])} |")
    return [row.replace("  ", " ") for row in found]


def test_the_table_is_that_of_the_code() -> None:
    text = PAGE.read_text("utf-8")
    head = "| --- | --- | --- | --- | --- | --- |\n"
    table = text.partition(head)[2].partition("\n\n")[0].splitlines()
    assert table == rows()
