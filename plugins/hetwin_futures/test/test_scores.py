"""Scores of probabilities beside labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_futures import reliability_page, score_lines
from hetwin_futures.scores import area_under_curve, score


def test_scores_of_four_claims_are_those_counted_by_hand() -> None:
    found = score([0.9, 0.95, 0.1, 0.6], [True, False, False, False], resamples=50)
    assert found.of == 4
    assert found.decided.p == pytest.approx(0.75)
    assert found.right.p == pytest.approx(2 / 3)
    assert found.sensitivity.p == 1.0
    assert found.specificity.p == pytest.approx(1 / 3)
    assert found.auc.value == pytest.approx(2 / 3)
    assert found.brier.value == pytest.approx((0.01 + 0.9025 + 0.01 + 0.36) / 4)
    assert found.brier_base == pytest.approx(0.25 * 0.75)
    assert found.wrong == (1,)
    assert (found.kinds.claimed.p, found.kinds.claimed.of) == (pytest.approx(1 / 3), 3)
    assert found.kinds.unknown_false.p == pytest.approx(1 / 3)
    assert (found.kinds.denied.p, found.kinds.unknown_true.p, found.kinds.denied.of) == (
        0.0,
        0.0,
        1,
    )
    # Bins of 0.1, 0.6 and {0.9, 0.95}: distances 0.1, 0.6 and |0.925 - 0.5|.
    assert found.calibration_error.value == pytest.approx((0.1 + 0.6 + 2 * 0.425) / 4)


def test_honest_probabilities_are_calibrated_and_confident_ones_are_not() -> None:
    random = np.random.default_rng(3)
    p = random.uniform(size=4000)
    labels = random.uniform(size=4000) < p
    assert score(p, labels, resamples=20).calibration_error.value < 0.03
    bold = np.where(p > 0.5, 0.97, 0.03)
    assert score(bold, labels, resamples=20).calibration_error.value > 0.15


def test_claims_of_one_group_are_resampled_together() -> None:
    """Ten copies of a claim are no ten claims: the interval is as wide as that of the groups."""
    random = np.random.default_rng(5)
    p = random.uniform(size=30)
    labels = random.uniform(size=30) < p
    copied = score(np.repeat(p, 10), np.repeat(labels, 10), np.repeat(np.arange(30), 10).tolist())
    alone, naive = score(p, labels), score(np.repeat(p, 10), np.repeat(labels, 10))
    width = copied.brier.high - copied.brier.low
    assert width == pytest.approx(alone.brier.high - alone.brier.low, rel=0.15)
    assert width > 2.0 * (naive.brier.high - naive.brier.low)


@given(
    st.lists(st.tuples(st.sampled_from((0.05, 0.5, 0.95)), st.booleans()), min_size=1, max_size=40)
)
def test_each_claim_is_right_or_an_error_of_one_kind(pairs: list[tuple[float, bool]]) -> None:
    found = score(*zip(*pairs, strict=True), resamples=5)
    kinds = found.kinds
    of_kinds = (kinds.claimed, kinds.denied, kinds.unknown_false, kinds.unknown_true)
    errors = sum(round(one.p * one.of) if one.of else 0 for one in of_kinds)
    right = sum((p > 0.5) == label for p, label in pairs if p != 0.5)
    assert errors + right == found.of
    assert len(found.wrong) == sum(round(one.p * one.of) if one.of else 0 for one in of_kinds[:2])


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), min_size=2, max_size=40))
def test_the_area_is_the_share_of_pairs_in_order(pairs: list[tuple[float, bool]]) -> None:
    true = [p for p, label in pairs if label]
    others = [p for p, label in pairs if not label]
    area = area_under_curve([p for p, _ in pairs], [label for _, label in pairs])
    if not true or not others:
        assert np.isnan(area)
        return
    won = sum((a > b) + 0.5 * (a == b) for a in true for b in others)
    assert area == pytest.approx(won / (len(true) * len(others)))


@pytest.mark.parametrize(
    ("claimed", "labels", "groups", "words"),
    [
        ([], [], None, "at least one"),
        ([0.5], [True, False], None, "the same number"),
        ([1.5], [True], None, "not between 0 and 1"),
        ([0.5, 0.5], [True, False], ["a"], "1 groups for 2 claims"),
    ],
)
def test_what_does_not_fit_is_refused(
    claimed: list[float], labels: list[bool], groups: list[str] | None, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        score(claimed, labels, groups)


def test_a_page_draws_how_reliable_probabilities_are() -> None:
    p = [0.05, 0.1, 0.3, 0.6, 0.9, 0.95]
    found = score(p, [False, False, True, False, True, True], resamples=50)
    words = "\n".join(score_lines("held", found))
    assert "sensitivity 67% of 3 (" in words
    assert "Brier score 0.1" in words
    assert "calibration error 0.2" in words
    page = reliability_page("Evidence <b>", {"held": found})
    assert "Evidence &lt;b&gt;" in page
    assert "true ones claimed to be false 0% of 3 (" in words
    for text in (
        "true ones that are not known",
        "said 0.8 to 1.0",
        "true 100% of 2 (",
        "area under the curve",
    ):
        assert text in page


def test_the_calibration_error_has_an_interval() -> None:
    random = np.random.default_rng(3)
    p = random.uniform(size=200)
    found = score(p, random.uniform(size=200) < p, resamples=200).calibration_error
    assert 0.0 <= found.low <= found.high <= 0.25
    assert found.value < 0.15
