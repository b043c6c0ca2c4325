"""The fluid in a cup keeps the contract."""

from __future__ import annotations

from hetwin_core.ensemble.conformance.suite import check_model_type


def test_it_keeps_the_contract() -> None:
    results = check_model_type("fluid_in_cup", {"cup": "beaker", "particles": 12})
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
    saved = next(r.detail for r in results if r.check == "save and restore")
    assert "numbers and texts" in saved


def test_an_empty_cup_keeps_the_contract() -> None:
    """The box of the fixture holds no fluid; all else can be checked."""
    model = "fluid_in_cup"
    results = check_model_type(model, {"particles": 0})
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
