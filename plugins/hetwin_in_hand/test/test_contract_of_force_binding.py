"""Binding by force keeps the contract of models."""

from __future__ import annotations

from hetwin_testing.suite import check_model


def test_it_keeps_the_contract() -> None:
    results = check_model("force_binding", {})
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
    saved = next(r.detail for r in results if r.check == "save and restore")
    assert "numbers and texts" in saved
