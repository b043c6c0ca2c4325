"""Patterns of events are read from text, and what is none says what would be one."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.expressions.expression import EventPattern
from hetwin_core.ensemble.expressions.nodes import Literal, Name


def test_a_pattern_names_entities_roles_and_any() -> None:
    found = EventPattern.from_text("collision( hand , 'cup*', \"tray\", any )")
    wanted = (Name("hand"), Literal("cup*"), Literal("tray"), Name("any"))
    assert found == EventPattern("collision", wanted)


def test_without_parentheses_the_arguments_may_be_anything() -> None:
    assert EventPattern.from_text("spilled").arguments is None
    assert EventPattern.from_text("empty()").arguments == ()


@pytest.mark.parametrize(
    "text",
    ["", "on(", "on(a,)", "two words", "on('a)", "on('')", "on(f(a))", "a.on()"],
)
def test_what_is_no_pattern_says_what_would_be(text: str) -> None:
    with pytest.raises(ValueError, match=r"an event such as|an entity in quotes"):
        EventPattern.from_text(text)
