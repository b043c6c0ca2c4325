"""The fluid in a cup keeps the contract."""

from __future__ import annotations

from hetwin_testing.suite import check_model


def test_it_keeps_the_contract() -> None:
    results = check_model("fluid_in_cup", {"cup": "beaker", "particles": 12})
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
    saved = next(r.detail for r in results if r.check == "save and restore")
    assert "numbers and texts" in saved


def test_an_empty_cup_keeps_the_contract() -> None:
    """The box of the fixture holds no fluid; all else can be checked."""
    model = "fluid_in_cup"
    results = check_model(model, {"particles": 0})
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
