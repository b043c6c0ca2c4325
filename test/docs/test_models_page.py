"""The page of the models is what they declare, and they declare everything."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from hetwin_core.ensemble.parameters import ParameterKind
from hetwin_suite.cli.catalogue import ModelRow, model_row, model_rows

DOCS = Path(__file__).resolve().parents[2] / "docs"
UNITLESS = {
    ("unannounced", "score"),
    ("camera", "least"),
    ("connector", "axis"),
    ("connector", "sure"),
    ("grasp_monitor", "sure"),
    ("mating", "axis"),
    ("mating", "prior"),
    ("evidence", "prior"),
    ("fill_level", "threshold"),
    ("fluid_in_cup", "friction"),
    ("lab_robot_stand_in", "friction"),
    ("force_binding", "force_ratio"),
    ("force_binding", "max_count"),
    ("force_binding", "threshold"),
    ("fmu", "tolerance"),
    ("in_hand_localization", "offset_spread"),
    ("in_hand_localization", "size_share"),
    ("in_hand_localization", "slip"),
}
"""Numbers that have no unit."""

spec = importlib.util.spec_from_file_location("make_models_page", DOCS / "make_models_page.py")
assert spec is not None
assert spec.loader is not None
make_models_page = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_models_page)
SHIPPED = make_models_page.shipped()


@pytest.mark.skipif(
    not all((DOCS.parent / beside).is_dir() for beside in ("plugins", "examples")),
    reason="the plugins or the examples are not here",
)
def test_the_page_is_what_the_models_declare() -> None:
    written = (DOCS / "reference" / "models.md").read_text(encoding="utf-8")
    assert written == make_models_page.page(), "run .venv/bin/python docs/make_models_page.py"


@pytest.mark.parametrize("name", SHIPPED)
def test_every_parameter_says_what_it_means_and_in_which_unit(name: str) -> None:
    row = model_row(name)
    assert row.summary.endswith(".")
    for parameter in row.parameters:
        assert len(parameter.description.split()) >= 2, parameter.name
        assert not parameter.description.startswith("..."), parameter.name
        if parameter.kind in (ParameterKind.NUMBER, ParameterKind.VECTOR):
            assert bool(parameter.unit) != ((name, parameter.name) in UNITLESS), parameter.name
    for event, text in row.raises.items():
        assert ": " in text, event


def test_what_is_printed_fits_its_schema() -> None:
    for row in model_rows():
        assert ModelRow.model_validate_json(row.model_dump_json()) == row
        assert json.loads(row.model_dump_json()).keys() == ModelRow.model_fields.keys()
