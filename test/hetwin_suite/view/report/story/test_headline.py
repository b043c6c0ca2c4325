"""The headline of a run, and its concerns."""

from __future__ import annotations

from typing import Any

import pytest
from support.ball_episode import ball_episode
from support.made_episode import concern, made_episode, with_fields

from hetwin_core.ensemble.tasks import TaskFields, task_event
from hetwin_core.episodes.flaws.flaw import Flaw
from hetwin_core.episodes.tables.rows import Interval
from hetwin_suite.view.report.story.events import Sentence, stored_concerns
from hetwin_suite.view.report.story.headline import headline

TOUCHES = concern("link_touches", "warning", 2.0, 3.0, text="forearm touches table", link="forearm")
FLUNG = concern("flung", "absurd", 4.0, 5.0, text="box is flung at 6 m/s", object="box")
GAP = concern("gap", "note", 1.0, 1.2)
ENDED = "The run reached the end of its recording after 10.00 s."


CHECKED: dict[str, Any] = {
    "claim": "grip",
    "subject": "hand",
    "checked": True,
    "of": [],
    "why": None,
}
FINE = "All that can be checked for this robot was, and speaks for this run: grips checked."


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ({}, ("good", (), ENDED, ())),
        (
            {"verdict": "fine", "concerns": [GAP], "coverage": [CHECKED]},
            ("good", (("good", "fine"),), FINE, ((ENDED,),)),
        ),
        (
            {
                "verdict": "unchecked",
                "coverage": [CHECKED, {**CHECKED, "claim": "touch", "checked": False, "why": "x"}],
            },
            (
                "warned",
                (("warned", "unchecked"),),
                "Nothing speaks against this run, but not all was seen: grips checked; not checked: touches (x).",
                ((ENDED,),),
            ),
        ),
        (
            {"verdict": "doubtful", "concerns": [GAP, TOUCHES]},
            ("warned", (("warned", "doubtful"),), "Doubtful: forearm touches table.", ((ENDED,),)),
        ),
        (
            {"verdict": "absurd", "concerns": [TOUCHES, FLUNG]},
            (
                "bad",
                (("bad", "absurd"),),
                "Absurd: box is flung at 6 m/s, and 1 more concern.",
                ((ENDED,),),
            ),
        ),
        (
            {"verdict": "absurd", "concerns": []},
            ("bad", (("bad", "absurd"),), "Absurd: no reason is known.", ((ENDED,),)),
        ),
        (
            {"verdict": "fine", "concerns": [], "ended": "failed"},
            ("bad", (("bad", "failed"),), "The run failed after 10.00 s; no reason is known.", ()),
        ),
    ],
)
def test_it_follows_the_verdict(summary: dict[str, Any], expected: tuple[Any, ...]) -> None:
    assert headline(made_episode([], {}, **summary)) == expected


def test_what_came_of_it_goes_before_the_verdict() -> None:
    found = headline(ball_episode("floor", verdict="absurd", concerns=[FLUNG]))
    assert found.tone == "bad"
    assert [mark.word for mark in found.marks] == ["not achieved", "absurd"]
    assert found.text == "The ball was dropped: it lies on the floor, not in the tray."
    assert Sentence("", found.more[0]).text == (
        "It was released by hand at 4.00 s; physics was responsible for its pose."
    )
    assert found.more[1:] == ((ENDED,),)


def test_a_good_outcome_keeps_the_tone_of_the_verdict() -> None:
    found = headline(ball_episode("tray", verdict="doubtful", concerns=[TOUCHES]))
    assert (found.tone, found.text) == ("warned", "The ball lies in the tray, where it was to go.")
    assert [mark.word for mark in found.marks] == ["achieved", "doubtful"]
    assert headline(ball_episode("tray", verdict="fine")).tone == "good"


def test_a_flaw_that_moved_things_is_said_after_the_outcome() -> None:
    span = Interval(1, 2)
    flaws = [
        Flaw("stale_belief", span, (), None, "The belief was old."),
        Flaw("knocked_over", span, ("cup",), None, "hand knocked cup over."),
    ]
    found = headline(ball_episode("tray", verdict="fine"), flaws)
    assert (found.tone, found.marks[-1].word) == ("warned", "with flaws")
    assert ("hand knocked cup over. 1 more flaw found.",) in found.more
    assert headline(ball_episode("tray"), flaws[:1]).tone == "good"


def test_a_task_that_failed_is_what_came_of_it() -> None:
    fields = TaskFields("set_table.1", operation="set_table", status="failed", reason="no cup")
    part = TaskFields("look.1", "set_table.1", operation="look", status="failed")
    events = [task_event(one, 1_000_000_000, "program") for one in (fields, part)]
    found = headline(made_episode([], {}, events=events))
    assert (found.tone, found.text) == ("bad", "The task set_table.1 failed: no cup.")


def test_the_worst_concern_comes_first_then_the_earliest() -> None:
    rows = [GAP, concern("jump", "warning", 1.0, 1.0), TOUCHES, FLUNG]
    found = stored_concerns(made_episode([], {}, concerns=rows))
    assert [c.name for c in found] == ["flung", "jump", "link_touches", "gap"]
    assert (found[2].from_ns, found[2].to_ns) == (2_000_000_000, 3_000_000_000)
    assert [c.serious for c in found] == [True, True, True, False]


def test_a_row_of_another_version_is_still_a_concern() -> None:
    (found,) = stored_concerns(made_episode([], {}, concerns=[{"name": "too_hot", "from": None}]))
    assert (found.text, found.severity, found.times) == ("too hot", "warning", 1)


def test_a_run_that_a_model_commands_has_no_recording() -> None:
    commanded = with_fields(made_episode([], {}), description={"source": "model:reactive"})
    assert headline(commanded).text == "The run reached its end after 10.00 s."
