"""The terms in goals and questions, with the entities that they name."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.expressions.expression import terms_in


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('on("box", "tray")', [("on", ("box", "tray"))]),
        ("held('box') && !on(\"box\", any)", [("held", ("box",)), ("on", ("box",))]),
        ('loc("box", {"near": "tray", "within": 0.1})', [("loc", ("box", "tray"))]),
        ('holds(on("a (b)", "c"), at(end))', [("holds", ()), ("on", ("a (b)", "c")), ("at", ())]),
        ('["box"].all(b, held(b)) // on("x", "y")', [("held", ())]),
        ('"box".startsWith("b")', []),
        ("closed", []),
        ("put it on(the table", []),
    ],
)
def test_terms(text: str, terms: list[tuple[str, tuple[str, ...]]]) -> None:
    assert list(terms_in(text)) == terms
