"""The models of household objects keep the contract."""

from __future__ import annotations

import pytest

from hetwin_testing.suite import check_model

GIVEN: dict[str, dict[str, object]] = {
    "displacement": {"moveable": {"box": {}}},
    "fill_level": {"fillable": {"beaker": {"capacity": 1e-3}}},
    "openness": {
        "openable": {
            "robot": {"joint": "left_finger_joint", "closed": 0, "opened": 1, "threshold": 0.1}
        }
    },
    "slicing": {},  # the fixture has no object in parts
    "switch": {"toggleable": {"table": {"button": "box", "dwell": 0.0}}},
    "temperature": {
        "objects": ["box"],
        "heatable": {
            "table": {
                "temperature": 400.0,
                "rate": 1.0,
                "within": 0.1,
                "inside": False,
                "when": "height(box) > 0.0",
            }
        },
    },
}


@pytest.mark.parametrize("model", GIVEN)
def test_it_keeps_the_contract(model: str) -> None:
    results = check_model(model, GIVEN[model])
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
    saved = next(r.detail for r in results if r.check == "save and restore")
    assert "numbers and texts" in saved
