"""Formulas in questions become calls of functions; everything else stays."""

from __future__ import annotations

import pytest

from hetwin_core.projection.asking.parsing.formulas import Formulas

FORMULAS = Formulas(("holds", "value"), ("height", "exists", "distance"))


@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ('holds(on("a", "b"), at(1))', 'holds(on("a", "b"), at(1))'),
        ("holds(p() && q(), at(1)) && true", "holds(both_([p(), q()]), at(1)) && true"),
        ("holds(p() && q() || !r(), 1)", "holds(either_([both_([p(), q()]), not_(r())]), 1)"),
        ("holds(!(p() || q()) && r(), 1)", "holds(both_([not_(either_([p(), q()])), r()]), 1)"),
        ("holds(on(\"a && b\", 'c,)'), 1)", "holds(on(\"a && b\", 'c,)'), 1)"),
        ("holds((p()), 1)", "holds(p(), 1)"),
        ('holds(height("a") > 0.9, 1)', 'holds(state_("height(\\"a\\") > 0.9", {}), 1)'),
        (
            '["a"].all(c, holds(height(c) > 1.0 && p(c), 1))',
            '["a"].all(c, holds(both_([state_("height(c) > 1.0", {"c": c}), p(c)]), 1))',
        ),
        (
            "holds(p(), at(value(height('a'), at(2))))",
            "holds(p(), at(value(state_(\"height('a')\", {}), at(2))))",
        ),
        ('["a"].exists(c, holds(p(c), 1))', '["a"].exists(c, holds(p(c), 1))'),
        ("holds(x.filter(c, true)[0], 1)", "holds(x.filter(c, true)[0], 1)"),
        (
            "holds (p() && q(), 1) // && holds(p() && q()",
            "holds (both_([p(), q()]), 1) // && holds(p() && q()",
        ),
    ],
)
def test_rewriting(question: str, rewritten: str) -> None:
    assert FORMULAS.rewritten(question) == rewritten
