"""Overrides by name that are laid over a scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_core.ensemble.scenario.schema import json_schema

BASE = """scenario: base
rate: 400
scene:
  box: {pose: [0, 0, 0, 1, 0, 0, 0]}
models:
  physics: {type: "support.toys:ToyPhysics", main: true}
  grasp: {type: "support.toys:ToyGrasp", rate: 100}
variants:
  as_it_is: {}
  away:
    scene: {box: {pose: [1, 0, 0, 1, 0, 0, 0]}}
    models:
      grasp:
        rate: 200
  alone:
    models: {grasp: null}
  late:
    models:
      grasp:
        rate: 7
"""


def write(folder: Path, text: str, name: str = "base.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_mappings_are_merged_and_values_replaced(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path, BASE), "away")
    assert scenario.variant == "away"
    assert scenario.name == "base"
    assert scenario.file.scene["box"].pose == [1, 0, 0, 1, 0, 0, 0]
    grasp = scenario.plan("grasp")
    assert grasp is not None
    assert (grasp.type, grasp.every) == ("support.toys:ToyGrasp", 2)


def test_null_leaves_out(tmp_path: Path) -> None:
    assert [m.name for m in load_scenario(write(tmp_path, BASE), "alone").models] == ["physics"]


def test_without_a_variant_the_scenario_is_as_it_stands(tmp_path: Path) -> None:
    path = write(tmp_path, BASE)
    plain, same = load_scenario(path), load_scenario(path, "as_it_is")
    assert (plain.variant, same.variant) == (None, "as_it_is")
    assert plain.models == same.models
    assert list(plain.file.variants) == ["as_it_is", "away", "alone", "late"]


def test_a_variant_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    path = write(tmp_path, BASE)
    with pytest.raises(BadInput, match=r"no such variant; found 'awa'; expected one of as_it_is, "):
        load_scenario(path, "awa")


def test_a_scenario_without_variants_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, BASE.partition("variants:")[0])
    with pytest.raises(BadInput, match="no such variant; found 'away'; expected no variants here"):
        load_scenario(path, "away")


def test_an_error_names_the_line_in_the_variant(tmp_path: Path) -> None:
    path = write(tmp_path, BASE)
    with pytest.raises(BadInput, match=r"base\.yaml: line 20, models\.grasp\.rate"):
        load_scenario(path, "late")


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        ("{wrld: x.sdf}", r"line 21, .*'world'"),
        ("{scenario: other}", r"variants\.odd: .*not scenario"),
        ("{variants: {}}", r"variants\.odd: .*not variants"),
        ("[world]", r"variants\.odd"),
    ],
)
def test_what_a_variant_cannot_override_is_refused_without_it_too(
    tmp_path: Path, overrides: str, text: str
) -> None:
    path = write(tmp_path, f"{BASE}  odd: {overrides}\n")
    for variant in (None, "odd", "away"):
        with pytest.raises(BadInput, match=text):
            load_scenario(path, variant)


def test_variants_are_extended_by_name(tmp_path: Path) -> None:
    write(tmp_path, BASE)
    own = """extends: base.yaml
scenario: own
variants:
  late: {models: {grasp: {rate: 50}}}
"""
    path = write(tmp_path, own, "own.yaml")
    late, away = (
        load_scenario(path, "late").plan("grasp"),
        load_scenario(path, "away").plan("grasp"),
    )
    assert late is not None
    assert away is not None
    assert (late.every, away.every) == (8, 2)


def test_an_error_in_the_bases_variant_names_the_bases_line(tmp_path: Path) -> None:
    write(tmp_path, BASE)
    path = write(tmp_path, "extends: base.yaml\nscenario: own\n", "own.yaml")
    with pytest.raises(BadInput, match=r"base\.yaml: line 20, models\.grasp\.rate"):
        load_scenario(path, "late")


def test_editors_know_what_a_variant_may_override() -> None:
    (variant,) = json_schema()["properties"]["variants"]["patternProperties"].values()
    keys = variant["propertyNames"]["enum"]
    assert {"world", "source", "models", "scene"} <= {*keys}
    assert not {"scenario", "extends", "variants"} & {*keys}
