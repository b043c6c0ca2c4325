"""Numbers in conditions: which are found, and what becomes of the text."""

from __future__ import annotations

import pytest

from hetwin_learning.comparisons import comparisons, with_values, without_comparisons


def test_a_distance_to_the_nearest_object_is_compared() -> None:
    text = "nearest_object(hand, {'within': 0.12, 'kind': 'graspable'})"
    (found,) = comparisons(text, conjunction=False)
    assert (found.value, found.origin, found.is_lower_bound) == (0.12, "hand", False)
    assert without_comparisons(text, [found]) == "nearest_object(hand, {'kind': 'graspable'})"
    assert with_values(text, [found], [0.5]) == text.replace("0.12", "0.5")


def test_an_option_at_the_end_leaves_correct_text() -> None:
    text = "nearest_object('hand', {'kind': 'graspable', 'within': 2})"
    (found,) = comparisons(text, conjunction=False)
    assert found.quantity == "nearest_object('hand', {'kind': 'graspable'})"
    assert with_values(text, [found], [3.0]).endswith("'within': 3.0})")


@pytest.mark.parametrize(
    ("text", "what", "least"),
    [
        ("free(h) && distance(a, b) < 0.1", "distance(a, b)", False),
        ("speed(a) >= 0.1 && free(h)", "speed(a)", True),
        ("0.1 > height(a)", "height(a)", False),
        ("0.1 <= height(a)", "height(a)", True),
    ],
)
def test_parts_of_a_conjunction_are_compared(text: str, what: str, least: bool) -> None:
    (found,) = comparisons(text, conjunction=True)
    assert (found.quantity, found.value, found.is_lower_bound) == (what, 0.1, least)
    assert with_values(text, [found], [0.25]) == text.replace("0.1", "0.25")
    assert "0.1" not in without_comparisons(text, [found])


def test_several_numbers_keep_their_places() -> None:
    text = "distance(a, b) < 0.1 && speed(a) < 12.0 && name != null"
    found = comparisons(text, conjunction=True)
    changed = with_values(text, found, [0.123456, 7.0])
    assert changed == "distance(a, b) < 0.123456 && speed(a) < 7.0 && name != null"
    assert without_comparisons(text, found) == "true && true && name != null"


@pytest.mark.parametrize("text", ["a < 0.1 || b < 2.0", "a == 0.1", "a != null", "f(a) < g(b)"])
def test_what_does_not_bound_is_left_alone(text: str) -> None:
    assert comparisons(text, conjunction=True) == []
