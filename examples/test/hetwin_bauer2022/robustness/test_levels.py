"""Which axes and levels are asked for, and how levels are shown."""

from __future__ import annotations

import pytest

from hetwin_bauer2022.mismatch.registry import axes, axis_of
from hetwin_bauer2022.robustness.levels import (
    coordinate,
    is_beyond_hardware,
    read_axes,
    shown_level,
)
from hetwin_core.ensemble.errors import BadInput


def test_without_names_all_axes_are_measured_at_all_levels_but_the_one_that_changes_nothing() -> (
    None
):
    found = read_axes(None)
    assert [one.axis.name for one in found] == list(axes())
    for one in found:
        assert one.levels == tuple(level for level in one.axis.levels if level != one.axis.none)


def test_names_and_single_levels_are_mixed() -> None:
    found = read_axes("rate=15, finger_offset, rate=30,rate=15")
    by_name = {one.axis.name: one.levels for one in found}
    assert by_name["rate"] == (15.0, 30.0)
    assert 0.0 not in by_name["finger_offset"]
    assert len(by_name) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("finger_ofset", r"no such axis.*finger_ofset.*perhaps 'finger_offset'"),
        ("rate=often", r"not a number.*rate=often.*Hz"),
        ("rate=-3", r"rate cannot have this level"),
    ],
)
def test_what_cannot_be_measured_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=f"(?s){words}"):
        read_axes(text)


@pytest.mark.parametrize(
    ("axis", "level", "words"),
    [
        ("finger_offset", -0.0174533, "-1°"),
        ("object_size", 1.05, "+5 %"),
        ("object_size", 1.0, "0 %"),
        ("rate", 15.0, "15 Hz"),
        ("efforts_missing", 0.25, "25 %"),
    ],
)
def test_levels_are_shown_as_people_read_them(axis: str, level: float, words: str) -> None:
    assert shown_level(axis_of(axis), level) == words


def test_levels_that_are_far_apart_are_drawn_by_their_logarithm() -> None:
    wide, narrow = [1.0, 2.0, 4.0, 16.0], [15.0, 30.0, 50.0]
    assert [coordinate(level, wide) for level in wide] == [0.0, 1.0, 2.0, 4.0]
    assert [coordinate(level, narrow) for level in narrow] == narrow


def test_what_real_hardware_does_not_have_is_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    axis = axis_of("finger_offset")
    monkeypatch.setattr(type(axis), "hardware", (-0.01, 0.01))
    assert [is_beyond_hardware(axis, level) for level in (-0.02, -0.01, 0.0, 0.01, 0.02)] == [
        *(True, False, False, False, True)
    ]
    monkeypatch.setattr(type(axis), "hardware", None)
    assert not is_beyond_hardware(axis, 9.0)
