"""Models written against the contract of version 0.1 run as they did, with a warning that names them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from support import former_models, toys
from support.plugins import needs
from support.small_ensemble import run

import hetwin_suite
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.former_model import Contribution, Model, StepOutput
from hetwin_core.ensemble.scene.snapshot import read_tables

ENSEMBLE = """
scenario: handed_over
rate: 100
models:
  physics: {{type: "support.{0}Physics", main: true, parameters: {{until: 0.6}}}}
  grasp: {{type: "support.{0}Grasp", parameters: {{asks_at: 0.1}}, process: {1}}}
  cup: {{type: "support.{0}Cup"}}
triggers:
  - name: lets_go
    on: {{attribute: pose, entity: hand, index: 0, above: 0.03}}
    do: [{{hand_over: {{entity: ball, attribute: pose, to: physics}}}}]
"""


@pytest.mark.parametrize("process", ["shared", "own"])
def test_the_digest_is_that_of_the_same_models_today(process: str) -> None:
    former = run(ENSEMBLE.format("former_models:Former", process)).summary
    present = run(ENSEMBLE.format("toys:Toy", process)).summary
    assert former.error is None
    assert [h["to"] for h in former.handovers] == ["grasp", "physics"]
    assert former.digest == present.digest


@needs("hetwin_testing")
@pytest.mark.parametrize("name", ["FormerPhysics", "FormerGrasp", "FormerCup"])
def test_it_keeps_the_contract(name: str) -> None:
    from hetwin_testing import check_model

    assert [r for r in check_model(f"support.former_models:{name}") if not r.ok] == []


BROKEN = {
    "NoDescription": ("declaration", "AttributeError"),
    "NeedsInstance": ("declaration", "TypeError"),
    "TwoParameters": ("parameters", "two parameters are called 'p'"),
    "NoContribution": ("initialize", "it returns NoneType; expected a Contribution"),
    "TimeStandsStill": ("step", "it returns changes of 0.000000000 s; it was asked to step to 0.1"),
    "Blocks": ("step", "it returns block; only the main model may"),
}


@needs("hetwin_testing")
@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_it_is_found_and_named(name: str) -> None:
    from hetwin_testing import check_model

    check, text = BROKEN[name]
    results = check_model(f"support.former_models:{name}")
    failed = {r.check: r.detail for r in results if not r.ok}
    assert text in failed[check]


def test_a_model_that_does_not_describe_itself_is_no_model_of_a_scenario() -> None:
    with pytest.raises(hetwin_suite.BadInput, match="cannot be declared: AttributeError"):
        run(
            ENSEMBLE.format("toys:Toy", "shared").replace(
                "toys:ToyCup", "former_models:NoDescription"
            )
        )


def test_the_class_statement_warns_and_names_class_and_page() -> None:
    with pytest.warns(
        DeprecationWarning, match=r"Tea keeps .* hetwin 0\.1; .*writing_a_model"
    ) as told:

        class Tea(former_models.FormerCup):
            pass

    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        class Milk(toys.ToyCup):
            pass


def test_what_a_former_model_leaves_out_is_refused_or_nothing() -> None:
    cup: Any = former_models.FormerCup()
    found = cup.contribute({}, 0)
    assert isinstance(found, Contribution)
    for call in (
        lambda: cup.take("cup", "temperature", None, None),
        lambda: cup.release("cup", "temperature", None),
        lambda: cup.place("cup", "temperature", None, None),
        lambda: cup.command("heat", {}),
    ):
        with pytest.raises(Refused, match="FormerCup"):
            call()


def test_proximity_is_a_table_now() -> None:
    for rows in (np.ones((1, 12)), lambda: np.ones((1, 12))):
        output = StepOutput(time_ns=3, proximity=rows)
        assert output.tables["proximity"].rows().tolist() == [[1.0] * 12]
    assert StepOutput(time_ns=3).tables == {}
    contribution = former_models.FormerCup().contribute({}, 0)
    assert "proximity" in read_tables(contribution.reads)


def test_the_front_door_still_has_the_former_names() -> None:
    assert hetwin_suite.Model is Model
    assert hetwin_suite.StepOutput is StepOutput
    assert StepOutput(time_ns=3, values={}, ended=True).ended
