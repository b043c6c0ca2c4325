"""Rules over groups of trees: each tree and its scripts have one level, by the scenario alone."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_ensemble import run

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.values import Fidelity, Floats
from hetwin_fidelity import Rule, Trees
from hetwin_fidelity.ruled import FidelityRules

SCENARIO = """
scenario: small
rate: 100
models:
  physics:
    type: "support.toys:ToyPhysics"
    main: true
    parameters:
      until: 0.3
      actions:
        - {at: 0.1, name: pick, phase: begin}
        - {at: 0.2, name: pick, phase: end}
  signaler:
    type: fidelity_rules
    parameters:
      groups:
        balls: {trees: "ball", scripts: [script], rules: {during: {actions: [pick]}}}
  script: {type: "support.small_ensemble:Watcher"}
"""


class Alternating(Rule):
    """Every second tree is low."""

    def levels(self, tick: Tick) -> Floats:
        even = np.arange(len(self.trees.names)) % 2 == 0
        levels: Floats = np.where(even, float(Fidelity.HIGH), float(Fidelity.LOW))
        return levels


def test_a_script_of_a_group_steps_while_a_rule_asks_for_it() -> None:
    outcome = run(SCENARIO)
    times = outcome.models["script"].times
    assert times == pytest.approx([0.12 + 0.01 * i for i in range(10)])
    levels = [float(scene.get("ball", "fidelity")[0]) for scene in outcome.record.scenes]
    assert set(levels) == {0.0, 2.0}
    assert levels[-1] == 2.0, "at the end everything is as usual"


def test_entities_with_the_same_text_are_one_tree() -> None:
    names = ["plunger_00_rod", "box", "plunger_00_cup", "plunger_01_rod", "plunger_01_cup"]
    trees = Trees.matching("plunger_{}_*", names)
    assert trees.names == ("00", "01")
    assert trees.members == tuple(name for name in names if name != "box")
    assert trees.of.tolist() == [0, 0, 1, 1]
    assert trees.highest(np.array([0.0, 2.0, 1.0, 0.0])).tolist() == [2.0, 1.0]


def settings(groups: object, entities: list[str]) -> dict[str, object]:
    return {"groups": groups, "entities": entities}


def test_trees_scripts_and_the_highest_of_several_rules() -> None:
    model = FidelityRules()
    rules = {
        "test_rules_on_trees:Alternating": {},
        "during": {"actions": ["pick"], "otherwise": "medium"},
    }
    group = {"trees": "p_{}_*", "scripts": ["all", "script_{}"], "rules": rules}
    entities = ["p_a_1", "p_a_2", "p_b_1", "p_c_1"]
    contribution = model.contribute(settings({"plungers": group}, entities), 0)
    assert [entity.name for entity in contribution.entities] == [
        *("all", "script_a", "script_b", "script_c")
    ]
    levels = model._groups[0].levels(Tick(1, 1, None))  # type: ignore[arg-type]
    assert levels.tolist() == [2.0, 2.0, 1.0, 2.0, 2.0, 2.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        ({}, "groups: there are none"),
        ({"a": {"trees": "nothing_*", "rules": {"near_robot": {}}}}, "a.trees: no entity matches"),
        ({"a": {"trees": "*", "rules": {"nearby": {}}}}, "rules.nearby: this is no rule"),
        ({"a": {"trees": "*", "rules": {"near_robot": {"mode": "x"}}}}, "rules.near_robot.mode"),
        ({"a": {"trees": "*", "rules": {"no_module:X": {}}}}, "it cannot be imported"),
        ({"a": {"trees": "*", "rules": {"during": {"actions": []}}}}, "during.actions: there are"),
        ({"a": {"trees": "*", "rules": {}}}, "rules"),
        (
            {name: {"trees": "*", "rules": {"near_robot": {}}} for name in ("a", "b")},
            "it is in two groups",
        ),
    ],
)
def test_what_cannot_be_used_is_named(groups: object, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        FidelityRules().contribute(settings(groups, ["box"]), 0)
    assert says in str(caught.value)
