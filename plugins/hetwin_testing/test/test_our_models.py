"""hetwin's own models, and the small ones of the tests, keep the contract."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import installed
from hetwin_testing.suite import check_model

OURS = (
    "model_nodes.main_physics.model:MainPhysics",
    "model_nodes.grasp_monitor:GraspMonitor",
    "model_nodes.handling_observer:HandlingObserver",
    "model_nodes.rigid_grasp:RigidGrasp",
)
CHECKS = [
    "declaration",
    "constructor without arguments",
    "parameters",
    "initialize",
    "start",
    "step",
    "same seed and input, same bits",
    "take and release",
    "save and restore",
    "refusal of what it does not know",
    "refusal of unknown commands",
    "start in the middle of a run",
    "odd parameters",
    "within the deadline",
    "stop, and stop again",
]


GIVEN: dict[str, dict[str, object]] = {
    "connector": {
        "probe": "box",
        "socket": "table",
        "connected_pose": [0.0, 0.0, 0.03, 1.0, 0.0, 0.0, 0.0],  # as the box stands on the table
    },
    "containment": {"containers": ["table"]},
    "robot_health": {},
}
"""The other types, with what cannot be made up."""


@pytest.mark.parametrize("model", GIVEN)
def test_the_other_types_keep_it_too(model: str) -> None:
    results = check_model(model, GIVEN[model])
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
    saved = next(r.detail for r in results if r.check == "save and restore")
    assert "numbers and texts" in saved


def test_every_type_is_tested() -> None:
    points = installed("hetwin.models")
    ours = {point.name for point in points if point.dist and point.dist.name == "hetwin-suite"}
    tested = {
        *GIVEN,
        "main_physics",
        "grasp_monitor",
        "handling_observer",
        "rigid_grasp",
    }
    assert tested == ours


@pytest.mark.parametrize(
    "model", [*OURS, "support.toys:ToyPhysics", "support.toys:ToyGrasp", "support.toys:ToyCup"]
)
def test_it_keeps_the_contract(model: str) -> None:
    results = check_model(model)
    checks = [r.check for r in results]
    assert checks in (CHECKS, [c for c in CHECKS if c != "start in the middle of a run"])
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []


def test_the_fixture_makes_the_grasp_monitor_speak() -> None:
    says = {r.check: r.detail for r in check_model(OURS[1])}
    assert says["step"].endswith("2 events")


def test_the_fixture_gives_the_rigid_grasp_something_to_hold() -> None:
    says = {r.check: r.detail for r in check_model(OURS[3])}
    assert says["take and release"].startswith("handed over: box.pose")
    assert "table.pose" in says["take and release"].partition("refused")[2]


def test_physics_gives_objects_away_and_takes_them_back() -> None:
    says = {r.check: r.detail for r in check_model(OURS[0])}
    assert says["take and release"].startswith("handed over: box.pose")


@pytest.mark.parametrize(
    "model",
    ["no_such_model", "support.toys:Nothing", "no_such_module:X", "support.toys:HAND_SPEED", ":"],
)
def test_what_is_no_model_is_bad_input(model: str) -> None:
    with pytest.raises(BadInput):
        check_model(model)
