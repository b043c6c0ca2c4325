"""The signalers keep the contract."""

from __future__ import annotations

import pytest

from hetwin_testing.suite import check_model

GIVEN: dict[str, dict[str, object]] = {
    "fidelity_during_action": {"actions": ["move"], "objects": ["box"]},
    "fidelity_near_robot": {},
    "fidelity_rules": {
        "groups": {
            "boxes": {"trees": "box", "rules": {"near_robot": {}, "during": {"actions": ["move"]}}}
        }
    },
}


@pytest.mark.parametrize("model", GIVEN)
def test_it_keeps_the_contract(model: str) -> None:
    results = check_model(model, GIVEN[model])
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
    saved = next(r.detail for r in results if r.check == "save and restore")
    assert "numbers and texts" in saved
