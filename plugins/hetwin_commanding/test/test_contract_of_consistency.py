"""The model that compares robot and twin keeps the contract."""

from __future__ import annotations

from hetwin_core.ensemble.scene.watch import WatchLayout
from hetwin_testing.suite import check_model

TWO_JOINTS = WatchLayout(
    (("robot", 2),),
    ("left_joint", "right_joint"),
    driven=(True, True),
    lower=(None, None),
    upper=(None, None),
    velocity=(None, None),
    effort=(None, None),
).to_json()


def test_it_keeps_the_contract() -> None:
    results = check_model("consistency", {"watch": TWO_JOINTS})
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
    saved = next(r.detail for r in results if r.check == "save and restore")
    assert "numbers and texts" in saved
