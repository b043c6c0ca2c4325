"""Conditions are divided at their outermost `&&`, and nowhere else."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.expressions.conjuncts import conjuncts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ("a",)),
        ("a && b && !c", ("a", "b", "!c")),
        ("a && (b || c && d)", ("a", "(b || c && d)")),
        ("f(a && b) && x[c && d] == {'k': e && f}", ("f(a && b)", "x[c && d] == {'k': e && f}")),
        ("a == '&& ) \\' ||' && b", ("a == '&& ) \\' ||'", "b")),
        ('a == """ " && """ && b', ('a == """ " && """', "b")),
        ("a && b || c", ("a && b || c",)),
        ("a ? b : c && d", ("a ? b : c && d",)),
        ("a == r'\\' && b", ("a == r'\\' && b",)),
        ("a && b // && c", ("a && b // && c",)),
        ("a == '// no comment' && b", ("a == '// no comment'", "b")),
    ],
)
def test_parts(text: str, parts: tuple[str, ...]) -> None:
    assert conjuncts(text) == parts
