"""The robust solver recovers known parameters despite outliers, and its standard deviations are correct."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hetwin_calibration.least_squares import least_squares

Floats = NDArray[np.float64]
TIMES = np.linspace(0.0, 4.0, 60)


def decay(x: Floats) -> Floats:
    return np.asarray(x[0] * np.exp(-x[1] * TIMES) + x[2])


TRUE = np.array([2.0, 0.8, 0.5])


def test_exact_data_give_the_exact_parameters() -> None:
    fit = least_squares(lambda x: decay(x) - decay(TRUE), [1.0, 0.2, 0.0])
    np.testing.assert_allclose(fit.parameters, TRUE, atol=1e-7)


def test_the_loss_is_soft() -> None:
    """The cost is half the sum of the losses 2 (sqrt(1 + r^2) - 1)."""
    fit = least_squares(lambda x: np.array([x[0] - 3.0, 1000.0]), [0.0])
    assert fit.cost == pytest.approx(np.sqrt(1.0 + 1e6) - 1.0)


def test_outliers_hardly_count() -> None:
    rng = np.random.default_rng(1)
    data = decay(TRUE) + 0.01 * rng.standard_normal(60)
    data[::10] += 5.0
    fit = least_squares(lambda x: (decay(x) - data) / 0.02, [1.0, 0.2, 0.0])
    np.testing.assert_allclose(fit.parameters, TRUE, atol=0.03)
    plain = np.linalg.lstsq(np.exp(-0.8 * TIMES)[:, None], data - 0.5, rcond=None)[0][0]
    assert abs(plain - 2.0) > 5 * abs(fit.parameters[0] - 2.0)


def test_derivatives_may_be_given() -> None:
    def slopes(x: Floats) -> Floats:
        e = np.exp(-x[1] * TIMES)
        return np.array([e, -x[0] * TIMES * e, np.ones_like(e)]).T

    fit = least_squares(lambda x: decay(x) - decay(TRUE), [1.0, 0.2, 0.0], jacobian=slopes)
    np.testing.assert_allclose(fit.parameters, TRUE, atol=1e-7)


def test_units_far_apart() -> None:
    """Micrometres beside radians."""
    true = np.array([3e-6, 2.0])
    design = np.array([TIMES, np.cos(TIMES)]).T * [1e6, 1.0]
    fit = least_squares(lambda x: design @ (x - true), [0.0, 0.0], units=[1e-6, 1.0])
    np.testing.assert_allclose(fit.parameters, true, rtol=1e-6)


def test_bounds_hold_and_the_rest_fits() -> None:
    fit = least_squares(
        lambda x: decay(x) - decay(TRUE), [1.0, 0.2, 0.0], lower=[0, 0, 0], upper=[1.5, 9, 9]
    )
    assert fit.parameters[0] == 1.5
    free = least_squares(
        lambda x: decay(np.array([1.5, x[0], x[1]])) - decay(TRUE), fit.parameters[1:]
    )
    np.testing.assert_allclose(fit.parameters[1:], free.parameters, atol=1e-4)


def test_a_start_outside_of_the_bounds_is_moved_into_them() -> None:
    fit = least_squares(lambda x: x - 1.0, [7.0], upper=[3.0])
    assert fit.parameters[0] == pytest.approx(1.0)


def test_the_deviations_are_those_of_many_fits() -> None:
    rng = np.random.default_rng(2)
    fits = [_noisy(rng) for _ in range(60)]
    spread = np.std([fit.parameters for fit in fits], axis=0)
    claimed = np.median([fit.sd for fit in fits], axis=0)
    np.testing.assert_allclose(claimed, spread, rtol=0.3)


def _noisy(rng: np.random.Generator):  # type: ignore[no-untyped-def]
    data = decay(TRUE) + 0.01 * rng.standard_normal(60)
    return least_squares(lambda x: (decay(x) - data) / 0.02, TRUE)


def test_residuals_that_hang_together_claim_less() -> None:
    """Each residual occurs ten times; only groups account for that."""
    rng = np.random.default_rng(3)
    many, alone, grouped = [], [], []
    for _ in range(60):
        data = np.repeat(rng.standard_normal(40), 10)
        member = np.repeat(np.arange(40), 10)
        fit = least_squares(lambda x, d=data: (x[0] - d) / 10.0, [0.0], groups=member)
        many.append(fit.parameters[0])
        grouped.append(fit.sd[0])
        alone.append(least_squares(lambda x, d=data: (x[0] - d) / 10.0, [0.0]).sd[0])
    assert np.median(grouped) == pytest.approx(np.std(many), rel=0.3)
    assert np.median(alone) < 0.5 * np.std(many)


def test_what_is_not_determined_has_no_deviation() -> None:
    """Only the sum of the first two counts."""
    fit = least_squares(
        lambda x: np.array([x[0] + x[1] - 3.0, x[2] - 1.0, 2 * x[2] - 2.1]), [0, 0, 0]
    )
    assert np.isinf(fit.sd[:2]).all()
    assert np.isfinite(fit.sd[2])
    assert fit.parameters[0] + fit.parameters[1] == pytest.approx(3.0)


def test_regions_without_values_are_not_entered() -> None:
    with np.errstate(invalid="ignore"):
        fit = least_squares(lambda x: np.sqrt(x) - 0.1, [4.0])
    assert fit.parameters[0] == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("residuals", "words"),
    [
        (lambda x: np.array([1.0]), "found 1 residuals; expected at least 2"),
        (lambda x: np.full(3, np.nan), "not finite"),
    ],
)
def test_what_cannot_be_fitted(residuals, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=words):
        least_squares(residuals, [0.0, 0.0])
