"""Which names are offered for one that is misspelt."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble.catalogue import model_class
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.nearest import nearest, one_of, some
from hetwin_core.ensemble.scenario.scenario import find_scenario, scenario_names
from model_nodes.main_physics.engines.factory import make_engine

ROOT = Path(__file__).resolve().parents[3]


def test_the_likeliest_comes_first() -> None:
    assert nearest("colour", ["color", "cooler", "dog"])[0] == "color"
    assert nearest("zzz", ["color"]) == []


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("dgo", "one of cat, dog (perhaps 'dog')"),
        ("zzz", "one of cat, dog"),
    ],
)
def test_all_names_are_listed_and_the_near_ones_pointed_out(found: str, expected: str) -> None:
    assert one_of(found, ["cat", "dog"]) == expected


def test_none_at_all() -> None:
    assert one_of("x", []) == "one of none"
    assert one_of("x", ["a"], "a file") == "one of a, or a file"


def test_hetwins_scenarios_have_names() -> None:
    shipped = {file.stem for file in (ROOT / "scenarios").glob("*.yaml")}
    assert shipped <= {*scenario_names()}
    assert scenario_names() == sorted(scenario_names())


def test_a_misspelt_scenario(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\(perhaps 'pick_and_place'"):
        find_scenario("pick_an_place")
    (tmp_path / "kitchen.yaml").write_text("")
    with pytest.raises(BadInput, match=r"perhaps '.*/kitchen\.yaml'"):
        find_scenario(str(tmp_path / "kitchn.yaml"))


def test_a_misspelt_model_type_evaluator_and_engine() -> None:
    with pytest.raises(BadInput, match=r"or MODULE:CLASS \(perhaps 'rigid_grasp'"):
        model_class("rigd_grasp")
    with pytest.raises(BadInput, match=r"\(perhaps 'hand_free'\)"):
        Expression("hand_fre('x')").check_names(all_evaluators(), ())
    with pytest.raises(BadInput, match=r"\(perhaps 'mujoco'\)"):
        make_engine("mujco")


def test_of_many_names_the_first_are_shown() -> None:
    assert [some("abc", most) for most in (2, 3)] == ["a, b and 1 more", "a, b, c"]
    assert some(()) == "none"
