"""Patterns of events are read from text, and what is none says what would be one."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.event_patterns import EventPattern, Wanted


def test_a_pattern_names_entities_roles_and_any() -> None:
    found = EventPattern.read("collision( hand , 'cup*', \"tray\", any )")
    wanted = (Wanted(role="hand"), Wanted("cup*"), Wanted("tray"), Wanted(role="any"))
    assert found == EventPattern("collision", wanted)


def test_without_parentheses_the_arguments_may_be_anything() -> None:
    assert EventPattern.read("spilled").arguments is None
    assert EventPattern.read("empty()").arguments == ()


@pytest.mark.parametrize("text", ["", "collision(", "collision(a,)", "two words", "on('a)"])
def test_what_is_no_pattern_says_what_would_be(text: str) -> None:
    with pytest.raises(ValueError, match=r"an event such as|an entity in quotes"):
        EventPattern.read(text)
