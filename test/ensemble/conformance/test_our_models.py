"""hetwin's own models, and the small ones of the tests, keep the contract."""

from __future__ import annotations

import pytest

from hetwin_suite.ensemble.conformance.suite import check_model_type
from hetwin_suite.ensemble.errors import BadInput

OURS = (
    "hetwin_suite.model_nodes.main_physics.model:MainPhysics",
    "hetwin_suite.model_nodes.grasp_monitor:GraspMonitor",
    "hetwin_suite.model_nodes.handling_observer:HandlingObserver",
    "hetwin_suite.model_nodes.rigid_grasp:RigidGrasp",
)
CHECKS = [
    "describe",
    "constructor without arguments",
    "parameters",
    "initialize",
    "start",
    "step",
    "same seed and input, same bits",
    "take and release",
    "refusal of what it does not know",
    "refusal of unknown commands",
    "stop, and stop again",
]


@pytest.mark.parametrize("model", [*OURS, "toys:ToyPhysics", "toys:ToyGrasp", "toys:ToyCup"])
def test_it_keeps_the_contract(model: str) -> None:
    results = check_model_type(model)
    assert [r.check for r in results] == CHECKS
    assert [f"{r.check}: {r.says}" for r in results if not r.ok] == []


def test_the_fixture_makes_the_grasp_monitor_speak() -> None:
    says = {r.check: r.says for r in check_model_type(OURS[1])}
    assert says["step"].endswith("2 events")


def test_the_fixture_gives_the_rigid_grasp_something_to_hold() -> None:
    says = {r.check: r.says for r in check_model_type(OURS[3])}
    assert says["take and release"].startswith("handed: box.pose")
    assert "table.pose" in says["take and release"].partition("refused")[2]


def test_an_empty_cup_keeps_the_contract() -> None:
    """The box of the fixture holds no fluid; all else can be checked."""
    model = "hetwin_suite.model_nodes.fluid:FluidInCup"
    results = check_model_type(model, {"particles": 0})
    assert [f"{r.check}: {r.says}" for r in results if not r.ok] == []


def test_physics_gives_objects_away_and_takes_them_back() -> None:
    says = {r.check: r.says for r in check_model_type(OURS[0])}
    assert says["take and release"].startswith("handed: box.pose")


@pytest.mark.parametrize(
    "model", ["no_such_model", "toys:Nothing", "no_such_module:X", "toys:HAND_SPEED", ":"]
)
def test_what_is_no_model_is_bad_input(model: str) -> None:
    with pytest.raises(BadInput):
        check_model_type(model)
