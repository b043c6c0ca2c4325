"""The headline of a run, and its concerns."""

from __future__ import annotations

from typing import Any

import pytest
from support.made_episode import concern, made_episode

from hetwin_suite.view.report.story.concerns import stored_concerns
from hetwin_suite.view.report.story.headline import headline

TOUCHES = concern("link_touches", "warning", 2.0, 3.0, text="forearm touches table", link="forearm")
FLUNG = concern("flung", "absurd", 4.0, 5.0, text="box is flung at 6 m/s", object="box")
GAP = concern("gap", "note", 1.0, 1.2)
ENDED = "The run reached the end of its recording after 10.00 s."


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ({}, ("good", "", ENDED, "")),
        (
            {"verdict": "fine", "concerns": [GAP]},
            ("good", "fine", "Nothing speaks against this run.", ENDED),
        ),
        (
            {"verdict": "doubtful", "concerns": [GAP, TOUCHES]},
            ("warned", "doubtful", "forearm touches table.", ENDED),
        ),
        (
            {"verdict": "absurd", "concerns": [TOUCHES, FLUNG]},
            ("bad", "absurd", "box is flung at 6 m/s, and 1 more concern.", ENDED),
        ),
        (
            {"verdict": "absurd", "concerns": []},
            ("bad", "absurd", "no reason is known.", ENDED),
        ),
        (
            {"verdict": "fine", "concerns": [], "ended": "failed"},
            ("bad", "failed", "The run failed after 10.00 s; no reason is known.", ""),
        ),
    ],
)
def test_it_follows_the_verdict(summary: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert headline(made_episode([], {}, **summary)) == expected


def test_the_worst_concern_comes_first_then_the_earliest() -> None:
    rows = [GAP, concern("jump", "warning", 1.0, 1.0), TOUCHES, FLUNG]
    found = stored_concerns(made_episode([], {}, concerns=rows))
    assert [c.name for c in found] == ["flung", "jump", "link_touches", "gap"]
    assert (found[2].from_ns, found[2].to_ns) == (2_000_000_000, 3_000_000_000)
    assert [c.serious for c in found] == [True, True, True, False]


def test_a_row_of_another_version_is_still_a_concern() -> None:
    (found,) = stored_concerns(made_episode([], {}, concerns=[{"name": "too_hot", "from": None}]))
    assert (found.text, found.severity, found.times) == ("too hot", "warning", 1)
