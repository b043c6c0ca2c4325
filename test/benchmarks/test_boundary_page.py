"""The page about episodes between success and failure says what the kept verdicts say."""

from __future__ import annotations

from typing import Any

import pytest
from support.plugins import benchmark

page = benchmark("boundary_page", "hetwin_bauer2022")
boundary = benchmark("boundary", "hetwin_bauer2022")

APPROACHES = ["ensemble", "single", "single_tuned", "kinematic"]
EQUAL = dict.fromkeys(APPROACHES, 40)
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
        (
            30,
            55,
            "ends below the share of the best other at 1 (drops as recorded: 30 of 60, single 55)",
        ),
    ],
)
def test_the_first_sentence_is_what_the_counts_say(ensemble: int, others: int, words: str) -> None:
    least = dict.fromkeys(APPROACHES, others - 1)
    kept = rows({**least, "ensemble": ensemble, "single": others})
    assert words in page.text(kept, PLAN).partition("\n")[0]


def test_each_count_has_its_interval_and_the_rule_stands_beside() -> None:
    told = page.text(rows({**EQUAL, "single": 41, "kinematic": 42}), PLAN)
    assert "| as recorded | ensemble | 20 of 30 | 20 of 30 | 40 of 60 | 54% to 77% |" in told
    assert "is right in 42 (70%" in told
    assert "inside the 55% to 80% that were wanted" in told
    assert "60 episodes judged of 60" in told
    assert "to say always the same would be right in 50%" in told
    easy = page.text(rows({**EQUAL, "single": 41, "kinematic": 58}), PLAN)
    assert "above the 55% to 80% that were wanted: these episodes are easy for it" in easy
    hopeless = page.text(rows({**EQUAL, "kinematic": 30}), PLAN)
    assert "hopeless for it" in hopeless


def test_only_episodes_that_all_have_judged_count() -> None:
    kept = rows({**EQUAL, "single": 41, "kinematic": 42})
    del kept[0]["said"]["single"]
    (point,) = page.points(kept, APPROACHES)
    assert {cell.of for cell in point.cells.values()} == {59}


def test_it_says_that_not_everything_is_judged() -> None:
    right = {"ensemble": 20, "single": 21, "single_tuned": 20, "kinematic": 22}
    few = page.in_short(rows(right, of=20), PLAN)
    assert few.startswith("*Preliminary, too few episodes to conclude: drops 20.*")
    told = page.text(rows(right, of=50), PLAN)
    assert "Preliminary" not in told
    assert "Planned and not all judged: drops as recorded 50 of 60." in told
    assert "Planned" not in page.text(rows(right), PLAN)


def test_a_point_of_which_nothing_is_judged_is_named() -> None:
    asked = {"drops": {**PLAN["sets"]["drops"], "axes": ["rate=20"]}}
    told = page.text(rows(EQUAL), {**PLAN, "sets": asked})
    assert "Planned and not all judged: drops rate 0 of 60." in told


@pytest.mark.parametrize(
    ("why", "cause"),
    [
        ("ball gripped by hand 2 s, ball lost by hand on stand 3 s", "never_held"),
        ("ball picked up by hand 2 s, the fingers did not open 3 s", "lost_on_the_way"),
        ("ball picked up by hand 2 s, ball entered bin 3 s", "bounced_out"),
        ("ball picked up by hand 2 s, ball released by hand 3 s", "missed"),
    ],
)
def test_the_account_of_a_drop_ends_somewhere(why: str, cause: str) -> None:
    assert boundary.stage(why) == cause


def test_what_accounts_are_worth_is_counted_of_failures() -> None:
    kept = rows(EQUAL)
    for number, row in enumerate(kept):
        if not row["truth"]:
            row["cause"] = "missed"
            row["said"]["ensemble"].append("missed" if number < 30 else "never_held")
    told = page.text(kept, PLAN)
    assert "out of it again): ensemble 15 of 30 (33% to 67%)." in told
    assert "by what really happened, drops: 10 of 30 missed, 10 of 30 success." in told


def test_objects_that_the_twin_does_not_know_are_summed_up() -> None:
    more = rows({**EQUAL, "ensemble": 50}, axis="object_size", level=0.95)
    told = page.text(rows(EQUAL) + more, PLAN)
    assert "the size wrong by -5 %, nothing tuned: ensemble 50 of 60 (72% to 91%)" in told


def test_the_rule_stands_beside_what_it_could_get_at_most() -> None:
    kept = rows(EQUAL)
    for row in kept:
        row["measured"] = [0.1, -0.02 if row["truth"] else 0.01]
    assert "with thresholds chosen on these very episodes in 60." in page.text(kept, PLAN)


def test_not_applicable_is_no_verdict() -> None:
    kept = rows({**EQUAL, "single": 41, "kinematic": 42})
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
    failed = {**told, "truth": False, "cause": "missed", "why": "nothing", "success": False}
    (one,) = boundary.condensed([{**failed, "approach": a} for a in ("single", "kinematic")])
    assert one["said"] == {"single": [False, 1.0, "never_held"], "kinematic": [False, 1.0]}


def test_thresholds_have_the_most_right_verdicts() -> None:
    known = [(0.1, True), (0.2, True), (0.3, False), (0.4, True), (0.5, False), (0.6, False)]
    measured = [(page.Quantities(0.5, second), truth) for second, truth in known]
    pair, right = page.thresholds(measured)
    assert right == 5
    assert min(abs(pair.second - one) for one in (0.25, 0.45)) < 1e-9


@pytest.mark.parametrize(
    "text", ["", "<!-- boundary -->", "<!-- end of boundary --><!-- boundary -->"]
)
def test_a_page_without_its_place_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must have one line"):
        page.put(text, "boundary", "figures")


def test_along_the_axis_of_signals_the_ensemble_stands_beside_the_rule() -> None:
    plan = {**PLAN, "sets": {"drops": {**PLAN["sets"]["drops"], "axes": ["signals=1"]}}}
    few = rows({"ensemble": 50, "kinematic": 42}, axis="signals", level=1.0)
    told = page.text([*rows(EQUAL), *few], plan)
    assert "| `signals` 1 level | ensemble | 25 of 30 | 25 of 30 | 50 of 60 |" in told
    assert "Planned" not in told
    assert "over all points single_tuned is right in 40 of 60" in told
