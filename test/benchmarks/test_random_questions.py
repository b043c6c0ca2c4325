"""Random questions to an episode have the answers that a naive reading of its log has."""

from __future__ import annotations

import random_questions
from support.small_run import SmallRun


def test_the_answers_are_those_of_a_naive_reading(small_run: SmallRun) -> None:
    rows = list(random_questions.compared(small_run.out, 7, 25))
    assert [row for row in rows if not row["agrees"]] == []
    assert {row["right"] for row in rows if row["right"] in (True, False)} == {True, False}
    assert any(row["right"] is None for row in rows)
    assert len({row["question"].partition("(")[0] for row in rows}) >= 5


def test_a_wrong_answer_is_no_right_one() -> None:
    happened = [(1_000_000_000, {"object": "box"})]
    said = {"name": "fell", "time": 1.0, "arguments": {"object": "box"}}
    assert random_questions.agrees([said], happened)
    assert not random_questions.agrees([{**said, "time": 1.1}], happened)
    assert not random_questions.agrees([], happened)
    assert not random_questions.agrees(False, None)
    assert not random_questions.agrees(None, False)
    assert random_questions.agrees([0.1, 0.2], [0.1, 0.2])
