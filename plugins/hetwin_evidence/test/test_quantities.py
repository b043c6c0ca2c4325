"""Quantities that indicate the outcome of a grasp."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hetwin_evidence.closings import Recent
from hetwin_evidence.quantities import (
    abrupt_release,
    contact_force,
    finger_shortfall,
    gravity_direction,
    pull_after_push,
    pull_test,
    snaps,
    weight_change,
)

FORCE = st.floats(-20.0, 20.0)
OFFSET = arrays(np.float64, 3, elements=FORCE)


def pulled(falls_within_s: float, rate: float = 125.0) -> tuple[np.ndarray, np.ndarray]:
    """A pull that rises to 20 N in a second and falls to 2 N."""
    times = np.arange(0.0, 3.0, 1.0 / rate)
    rising = np.clip((times - 0.2) / 1.0, 0.0, 1.0)
    fallen = np.clip((times - 1.6) / falls_within_s, 0.0, 1.0)
    forces = np.zeros((len(times), 3))
    forces[:, 2] = 20.0 * rising - 18.0 * fallen
    return times, forces


def test_a_pull_that_breaks_off_is_told_from_one_that_slides_off() -> None:
    assert abrupt_release(*pulled(0.01)) > 0.8
    assert abrupt_release(*pulled(0.5)) < 0.2


@pytest.mark.parametrize("rate", [50.0, 125.0, 500.0, 1000.0])
def test_the_rate_of_samples_matters_little(rate: float) -> None:
    assert abrupt_release(*pulled(0.01, rate)) == pytest.approx(0.9, abs=0.12)


@given(offset=OFFSET, later=st.floats(0.0, 1e6))
def test_neither_an_offset_of_the_sensor_nor_the_time_of_day_matters(
    offset: np.ndarray, later: float
) -> None:
    times, forces = pulled(0.02)
    moved = abrupt_release(times + later, forces + offset)
    assert moved == pytest.approx(abrupt_release(times, forces), abs=1e-3)


@given(slower=st.floats(0.5, 2.0), falls_within_s=st.floats(0.01, 0.5))
def test_the_same_pull_at_another_speed_ends_as_abruptly(
    slower: float, falls_within_s: float
) -> None:
    times, forces = pulled(falls_within_s)
    stretched = abrupt_release(times * slower, forces)
    assert stretched == pytest.approx(abrupt_release(times, forces), abs=1e-9)


@given(
    turned=arrays(np.float64, 4, elements=st.floats(-1.0, 1.0)).filter(
        lambda q: np.linalg.norm(q) > 0.1
    ),
    weight=st.floats(0.0, 30.0),
    offset=OFFSET,
)
def test_the_weight_of_what_hangs_on_a_wrist_is_found_in_any_orientation(
    turned: np.ndarray, weight: float, offset: np.ndarray
) -> None:
    down = gravity_direction(turned / np.linalg.norm(turned))
    before = np.tile(offset, (20, 1))
    assert weight_change(before, before + weight * down, down) == pytest.approx(weight, abs=1e-9)


def test_gravity_points_along_x_of_a_frame_that_is_pitched_by_90_degrees() -> None:
    half = np.sqrt(0.5)
    np.testing.assert_allclose(
        gravity_direction([0.0, half, 0.0, half]), [1.0, 0.0, 0.0], atol=1e-12
    )


def test_fingers_are_compared_with_the_kind_of_empty_closing_that_is_nearest() -> None:
    thumb_in, thumb_out = [0.5, 1.2, 0.8], [1.0, 1.2, 0.4]
    assert finger_shortfall([0.5, 1.19, 0.8], [thumb_in, thumb_out]) == pytest.approx(0.01 / 3)
    assert finger_shortfall([0.7, 0.9, 0.2], [thumb_in, thumb_out]) == pytest.approx(0.8 / 3)


def test_a_push_that_latches_is_one_snap_at_its_peak() -> None:
    times = np.arange(0.0, 10.0, 0.005)
    push = np.where(times > 3.0, 15.0, 0.0) + 45.0 * np.exp(-(((times - 6.0) / 0.05) ** 2))
    forces = np.zeros((len(times), 3))
    forces[:, 0] = push
    assert snaps(times, forces) == pytest.approx([6.0], abs=0.02)
    forces[:, 0] = np.where(times > 3.0, 15.0, 0.0)
    assert snaps(times, forces) == []


@pytest.mark.parametrize(
    ("pulls", "travels", "came"),
    [
        ([0.0, 3.0, 6.0], [0.0, 0.0002, 0.0004], 0.0004),
        ([0.0, 3.0, 6.0], [0.0, 0.002, 0.008], 0.008),
        ([0.5, 0.5, 0.5], [0.0, 0.01, 0.02], 0.02),
        ([0.5, 0.5, 0.5], [0.0, 0.0, 0.0], None),
    ],
)
def test_a_pull_proves_something_only_when_it_is_hard_or_the_part_comes_along(
    pulls: list[float], travels: list[float], came: float | None
) -> None:
    assert pull_test(pulls, travels) == came


@pytest.mark.parametrize(
    ("times", "forces", "words"),
    [
        (np.arange(5.0), np.zeros((5, 3)), "at least 20 Hz"),
        (np.arange(5.0) / 100, np.zeros((4, 3)), r"expected \(n,\) and \(n, 3\)"),
        (np.zeros(5), np.zeros((5, 3)), "do not increase"),
        (np.arange(5.0) / 100, np.full((5, 3), np.nan), "not finite"),
    ],
)
def test_what_cannot_be_judged_is_refused(
    times: np.ndarray, forces: np.ndarray, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        abrupt_release(times, forces)


def test_without_a_reference_fingers_are_refused() -> None:
    with pytest.raises(ValueError, match="does not fit references"):
        finger_shortfall([0.1, 0.2], np.zeros((0, 2)))
    with pytest.raises(ValueError, match="expected a direction"):
        weight_change(np.zeros((3, 3)), np.zeros((3, 3)), [0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="no finite force after"):
        weight_change(np.zeros((3, 3)), np.zeros((0, 3)), [0.0, 0.0, -1.0])


def test_no_quantity_takes_what_separates_batches_of_trials() -> None:
    """The inputs have no duration, date, posture or programmed force."""
    functions = (
        abrupt_release,
        contact_force,
        finger_shortfall,
        gravity_direction,
        pull_after_push,
        pull_test,
        snaps,
        weight_change,
    )
    inputs = {name for function in functions for name in signature(function).parameters}
    assert inputs == {
        *("stamps", "forces", "before", "after", "down", "orientation"),
        *("end", "references", "pulls", "travels", "places", "least", "enough"),
    }


@given(
    counts=st.lists(st.integers(1, 300), min_size=1, max_size=30),
    rate=st.sampled_from((20.0, 125.0, 1000.0)),
    share=st.floats(0.0, 1.0),
)
def test_what_was_felt_in_the_last_ten_seconds_is_kept(
    counts: list[int], rate: float, share: float
) -> None:
    recent, whole = Recent(2), np.zeros((0, 2))
    for count in counts:
        numbers = np.arange(len(whole), len(whole) + count)
        rows = np.column_stack((numbers / rate, -1.0 * numbers))
        whole = np.vstack((whole, rows))
        recent.add(rows)
    end = whole[-1, 0]
    begin = max(0.0, end - 10.0 * share)
    expected = whole[(whole[:, 0] >= begin) & (whole[:, 0] < end)]
    np.testing.assert_array_equal(recent.between(begin, end), expected)
    assert len(recent.rows) <= 2 * 10.0 * rate + 1000
