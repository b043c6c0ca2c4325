"""A scenario says which events its operations may cause, and a wrong pattern is named with its key."""

from __future__ import annotations

from typing import Any

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.schema import ScenarioFile
from hetwin_core.ensemble.validation import check

LEAST: dict[str, Any] = {"scenario": "s", "models": {"physics": {"type": "main_physics"}}}


def test_operations_have_patterns_of_events() -> None:
    given = {"stir": ["collision(hand, object)", "spilled"], "*": []}
    assert check(ScenarioFile, {**LEAST, "expects": given}).expects == given


def test_a_wrong_pattern_is_named() -> None:
    with pytest.raises(BadInput, match=r"expects\.stir\.1.*such as collision\(hand, object\)"):
        check(ScenarioFile, {**LEAST, "expects": {"stir": ["spilled", "not this"]}})
