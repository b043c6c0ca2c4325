"""A network of state machines keeps the contract of models."""

from __future__ import annotations

from hetwin_core.ensemble.resources import resource
from hetwin_testing.suite import check_model


def test_it_keeps_the_contract() -> None:
    given = {
        "file": str(resource("scenarios", "networks", "counter.yaml")),
        "inputs": {"P": 3},
        "events": {"b": "grasped"},
        "raises": {"counted": {"when": "e", "arguments": {"height": "box.pose[2]"}}},
    }
    results = check_model("machine_network", given)
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
