"""Residuals that leave their past: pulses, new levels, and what is neither."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.robot_health.effort_residuals import Excursion, ExcursionKind, Excursions

PERIOD_NS = 20_000_000


def residual(*parts: tuple[float, float]) -> Floats:
    """(rows, 1) of parts (seconds, share of the limit)."""
    return np.concatenate([np.full(round(s * 50), value) for s, value in parts])[:, None]


def follow(rows: Floats, block: int = 10) -> list[Excursion]:
    excursions = Excursions(rows.shape[1], PERIOD_NS, least=0.08)
    found: list[Excursion] = []
    for i in range(0, len(rows), block):
        part = rows[i : i + block]
        found += excursions.add([PERIOD_NS * (i + j) for j in range(len(part))], part.copy())
    return found


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("block", [1, 7, 10, 50])
def test_a_pulse_is_found_with_its_times_and_its_signed_size(sign: float, block: int) -> None:
    (found,) = follow(sign * residual((2.0, 0.3), (0.2, 0.5), (2.0, 0.3)), block)
    assert found.kind is ExcursionKind.PULSE
    assert (found.from_ns, found.to_ns) == (2_000_000_000, 2_200_000_000)
    assert found.size == pytest.approx(sign * 0.2)


@pytest.mark.parametrize("length", [0.3, 0.6, 0.9])
def test_what_follows_a_pulse_is_not_taken_for_another_one(length: float) -> None:
    (found,) = follow(residual((2.0, 0.0), (length, 0.9), (4.0, 0.0)))
    assert found.kind is ExcursionKind.PULSE


def test_what_stays_is_a_level_and_its_end_is_one_of_the_other_sign() -> None:
    up, down = follow(residual((2.0, 0.0), (3.0, 0.2), (3.0, 0.0)))
    assert up.kind is down.kind is ExcursionKind.LEVEL
    assert (up.size, down.size) == (pytest.approx(0.2), pytest.approx(-0.2))
    assert (up.from_ns, down.from_ns) == (2_000_000_000, 5_000_000_000)


@pytest.mark.parametrize("begin", [1.0, 1.04, 1.1, 1.18])
def test_a_pulse_on_a_level_is_a_pulse(begin: float) -> None:
    level, pulse = follow(residual((begin, 0.0), (1.4, 0.2), (0.2, 0.4), (1.0, 0.2)))
    assert level.kind is ExcursionKind.LEVEL
    assert pulse.kind is ExcursionKind.PULSE
    assert pulse.size == pytest.approx(0.2)


@pytest.mark.parametrize(
    "rows",
    [
        residual((3.0, 0.07)),
        np.linspace(0.0, 1.0, 1000)[:, None],  # an error of the model that grows with the posture
        residual((2.0, 0.0), (0.04, 0.5), (2.0, 0.0)),  # two wrong samples
        np.full((200, 1), np.nan),
    ],
)
def test_drift_noise_and_nothing_are_no_excursions(rows: Floats) -> None:
    assert follow(rows) == []


def test_the_first_number_is_the_past_of_what_begins_with_it() -> None:
    rows = residual((0.5, np.nan), (0.2, 0.4), (0.2, 0.7), (2.0, 0.4))
    (found,) = follow(rows)
    assert found.from_ns == 700_000_000


def test_a_gap_ends_an_excursion_and_another_joint_is_not_disturbed() -> None:
    one = residual((2.0, 0.0), (0.3, np.nan), (2.7, 0.0))
    other = residual((3.0, 0.1), (0.2, -0.2), (1.8, 0.1))
    assert joints(follow(np.hstack([one, other]))) == [1]


def joints(found: Sequence[Excursion]) -> list[int]:
    return [excursion.joint for excursion in found]
