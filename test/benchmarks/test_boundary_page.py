"""The page about episodes between success and failure says what the kept verdicts say."""

from __future__ import annotations

from typing import Any

import pytest
from support.plugins import benchmark

page = benchmark("boundary_page", "hetwin_bauer2022")
boundary = benchmark("boundary", "hetwin_bauer2022")

APPROACHES = ["ensemble", "single", "kinematic"]
PLAN = {
    "approaches": APPROACHES,
    "sets": {"drops": {"judged_on": 7, "chosen_on": 8, "episodes": 60}},
}


def rows(right: dict[str, int], of: int = 60, axis: str = "none", level: float = 0.0) -> list[Any]:
    """Episodes that succeed and fail in turn, of which each approach gets the first ones right."""
    found = []
    for number in range(of):
        truth = number % 2 == 0
        said = {a: [truth if number < count else not truth, 1.5] for a, count in right.items()}
        about = {"set": "drops", "name": f"drop_{number:04d}", "axis": axis, "level": level}
        found.append({**about, "truth": truth, "cause": "", "said": said})
    return found


@pytest.mark.parametrize(
    ("ensemble", "others", "words"),
    [
        (55, 30, "better than the best other approach by more than its interval at 1 of 1"),
        (40, 41, "nowhere better than the best other approach by more than its interval"),
        (30, 55, "ends below the share of the best other at 1: drops, as recorded (single)"),
    ],
)
def test_the_first_sentence_is_what_the_counts_say(ensemble: int, others: int, words: str) -> None:
    kept = rows({"ensemble": ensemble, "single": others, "kinematic": others - 1})
    assert words in page.text(kept, PLAN).partition("\n")[0]


def test_each_count_has_its_interval_and_the_rule_stands_beside() -> None:
    told = page.text(rows({"ensemble": 40, "single": 41, "kinematic": 42}), PLAN)
    assert "| as recorded | ensemble | 20 of 30 | 20 of 30 | 40 of 60 | 54% to 77% |" in told
    assert "is right in 42 (70%" in told
    assert "inside the 55 to 80 %" in told
    assert "60 episodes judged of 60" in told
    assert "to say always the same would be right in 50%" in told
    easy = page.text(rows({"ensemble": 40, "single": 41, "kinematic": 58}), PLAN)
    assert "outside the 55 to 80 %" in easy


def test_only_episodes_that_all_have_judged_count() -> None:
    kept = rows({"ensemble": 40, "single": 41, "kinematic": 42})
    del kept[0]["said"]["single"]
    (point,) = page.points(kept, APPROACHES)
    assert {cell.of for cell in point.cells.values()} == {59}


def test_it_says_that_not_everything_is_judged() -> None:
    right = {"ensemble": 20, "single": 21, "kinematic": 22}
    assert page.in_short(rows(right, of=40), PLAN).startswith("*Preliminary, 40 of 60 episodes")
    assert "Successes and failures are judged in turn" in page.text(rows(right, of=40), PLAN)
    assert "Preliminary" not in page.in_short(rows(right), PLAN)


def test_not_applicable_is_no_verdict() -> None:
    kept = rows({"ensemble": 40, "single": 41, "kinematic": 42})
    kept[1]["said"]["single"][0] = "n/a"
    (point,) = page.points(kept, APPROACHES)
    assert (point.cells["single"].of, point.cells["ensemble"].of) == (59, 60)


def test_verdicts_of_an_episode_are_one_line_and_the_last_one_counts() -> None:
    about = {"set": "drops", "name": "drop_0001", "axis": "none", "level": 0.0, "seconds": 1.0}
    told = {**about, "truth": True, "cause": "", "not_applicable": False}
    found = boundary.condensed(
        [
            {**told, "approach": "single", "success": False},
            {**told, "approach": "single", "success": True},
            {**told, "approach": "force", "success": False, "not_applicable": True},
        ]
    )
    assert [one["said"] for one in found] == [{"single": [True, 1.0], "force": ["n/a", 1.0]}]


def test_thresholds_have_the_most_right_verdicts() -> None:
    known = [(0.1, True), (0.2, True), (0.3, False), (0.4, True), (0.5, False), (0.6, False)]
    measured = [(boundary.Measured(0.5, second), truth) for second, truth in known]
    pair, right = boundary.thresholds(measured)
    assert right == 5
    assert min(abs(pair.second - one) for one in (0.25, 0.45)) < 1e-9


@pytest.mark.parametrize(
    "text", ["", "<!-- boundary -->", "<!-- end of boundary --><!-- boundary -->"]
)
def test_a_page_without_its_place_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must have one line"):
        page.put(text, "boundary", "figures")
