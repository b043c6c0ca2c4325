"""Curves, where they break, and what follows for the ensemble."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hetwin_bauer2022.mismatch.registry import axis_of
from hetwin_bauer2022.robustness.curves import (
    CurveKey,
    CurvePoint,
    Judgement,
    breaks_of,
    curve_points,
    nearest_breaks,
)
from hetwin_bauer2022.robustness.stored_verdicts import StoredVerdict
from hetwin_bauer2022.robustness.summary import summary_sentence
from hetwin_suite._study.intervals import probability

LINE = CurveKey("cage", "uncertain_environment", "cage", "rate", "success", "ensemble")


def points(rights: dict[float, int], of: int = 10, **line: str) -> list[CurvePoint]:
    where = LINE._replace(**line)
    return [CurvePoint(where, level, "Hz", right, of, 0) for level, right in rights.items()]


def judgement(success: bool | None, truth: bool, not_applicable: bool = False) -> Judgement:
    verdict = StoredVerdict(
        *("e", "cage", "drop", "rate", 15.0, "single", "f"),
        *(truth, success, not_applicable, "", "", 1.0),
    )
    return Judgement("cage", "uncertain_environment", "cage", axis_of("rate"), 15.0, verdict)


def test_success_and_failure_are_counted_apart_and_what_is_not_applicable_is_left_out() -> None:
    found = curve_points(
        [
            *(judgement(True, True), judgement(False, True), judgement(None, True)),
            *(judgement(False, False), judgement(False, False, True)),
        ]
    )
    by_truth = {point.line.truth: point for point in found}
    assert (by_truth["success"].right, by_truth["success"].of) == (1, 3)
    failed = by_truth["failure"].as_json()
    assert (failed["right"], failed["of"], failed["not_applicable"]) == (1, 1, 1)
    assert (failed["low"], failed["high"]) == probability(1, 1)[1:3]
    assert (failed["axis"], failed["level"], failed["unit"]) == ("rate", 15.0, "Hz")


@pytest.mark.parametrize(
    ("rights", "levels"),
    [
        ({-2: 9, -1: 8, 0: 10, 1: 8, 2: 8}, []),
        ({-2: 7, -1: 8, 0: 10, 1: 7, 2: 0}, [(-2, -1), (1, 1)]),
        ({-1: 10, 0: 7, 1: 10}, [(0, 0)]),
        ({0: 10, 1: 10, 2: 0, 3: 10}, [(2, 1)]),
    ],
)
def test_a_curve_breaks_at_the_first_level_below_80_per_cent_on_each_side(
    rights: dict[float, int], levels: list[tuple[float, int]]
) -> None:
    found = breaks_of(points(rights), 0.0)
    assert [(one.point.level, one.direction) for one in found] == levels


def test_a_point_without_verdicts_breaks_nothing() -> None:
    assert breaks_of(points({0: 0, 1: 0}, of=0), 0.0) == []


def test_the_set_that_breaks_first_is_shown() -> None:
    far, near = points({0: 10, 2: 0}), points({0: 10, 1: 0}, set="pinch")
    mine = [(curve[0].line, one) for curve in (far, near) for one in breaks_of(curve, 0.0)]
    assert [line.set for line, _ in nearest_breaks(mine, 0.0)] == ["pinch"]


def of_approaches(**rights: Sequence[int]) -> list[CurvePoint]:
    return [
        point
        for approach, found in rights.items()
        for point in points(dict(enumerate(found)), approach=approach)
    ]


def test_a_baseline_that_is_as_flat_is_named() -> None:
    said = summary_sentence(
        of_approaches(
            ensemble=[10, 9, 5], single=[10, 0, 0], single_tuned=[10, 10, 10], rigid=[9, 0, 0]
        )
    )
    assert "as flat as the ensemble, or flatter: single_tuned on rate." in said
    assert "at 2 of 3 levels" in said
    assert "single at 1 of 3" in said


def test_that_no_baseline_is_as_flat_is_said_too() -> None:
    said = summary_sentence(
        of_approaches(ensemble=[10, 9, 9], single_tuned=[10, 10, 0], rigid=[9, 0, 0])
    )
    assert said.endswith("neither single_tuned nor rigid is as flat on any axis.")


def test_approaches_are_compared_where_both_were_judged() -> None:
    ours = points({0: 10, 1: 10, 2: 0})
    tuned = points({2: 0}, approach="single_tuned")
    assert "single_tuned at 0 of 1 (the ensemble there: 0)" in summary_sentence([*ours, *tuned])


def test_without_the_ensemble_nothing_is_claimed() -> None:
    assert "not judged" in summary_sentence(of_approaches(single=[10, 10]))
