"""Fit of a chain's small errors to measured markers, with outlier rejection and cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.arm.model import BASE, Errors, MarkerModel, no_errors
from hetwin_calibration.least_squares import least_squares
from hetwin_suite.robot import Frame, Segment

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

FOLDS = 5
OUTLIER_M = 0.004
OUTLIER_RATIO = 4.0
"""Minimum residual of an outlier [m], and its minimum ratio to the median residual; both must be exceeded."""
_NOISE_M = 0.002
"""Usual measurement noise [m]; weighs the measurements against the prior of the chain's errors."""
_EXACT_M = 0.1
"""Scale of a robust loss that is almost quadratic."""
_START_M = 0.02
"""Scale of a robust loss that tolerates the errors of an uncalibrated chain."""
_STARTS = 4
_ROUNDS = 2
"""Number of fits, each relative to the last base, so that the base's rotation vector is small."""


@dataclass(frozen=True, slots=True)
class MeasuredMarkers:
    """Markers in m postures.

    Attributes:
        positions: (m, n) joint positions of the chain [rad or m].
        markers: (m, k, 3) measured positions of the k markers [m].
    """

    positions: Floats
    markers: Floats

    def only(self, rows: Ints) -> MeasuredMarkers:
        """Return some of the postures."""
        return MeasuredMarkers(self.positions[rows], self.markers[rows])


@dataclass(frozen=True, slots=True)
class ArmFit:
    """A fit to some postures.

    Attributes:
        base: pose of the chain's root in the frame of the measurements.
        parameters: parameters of the `MarkerModel`; those of the base are 0.
        errors: the errors that were fitted.
        markers: number of markers.
    """

    base: Frame
    parameters: Floats
    errors: Errors
    markers: int

    @property
    def of_markers(self) -> Floats:
        """Positions (k, 3) of the markers in the frame of the chain's end [m]."""
        return self.parameters[BASE : BASE + 3 * self.markers].reshape(-1, 3)

    @property
    def of_errors(self) -> Floats:
        """Sizes (e,) of the errors [m or rad]."""
        return self.parameters[BASE + 3 * self.markers :]

    def misses(self, segments: Sequence[Segment], measured: MeasuredMarkers) -> Floats:
        """Return the distances (m, k) between measured and predicted marker positions [m]."""
        model = _model(segments, self, measured)
        return np.asarray(np.linalg.norm(model.place(self.parameters) - measured.markers, axis=2))


@dataclass(frozen=True, slots=True)
class Calibration:
    """A calibrated chain.

    Attributes:
        outliers: ascending indices of the rows that were rejected.
        nominal, calibrated: fits of the other rows without and with errors of the chain.
        rms: residuals of both fits [m].
        held_out_rms: residuals of both on held-out rows, over `FOLDS` folds [m].
        errors: translation [m] and rotation vector [rad] (6,) in the frame of each joint, by index of its segment.
    """

    outliers: tuple[int, ...]
    nominal: ArmFit
    calibrated: ArmFit
    rms: tuple[float, float]
    held_out_rms: tuple[float, float]
    errors: dict[int, Floats]


def calibrate_arm(
    segments: Sequence[Segment], errors: Errors, measured: MeasuredMarkers
) -> Calibration:
    """Return the calibration of a chain.

    Args:
        segments: segments of the chain.
        errors: the errors that are fitted.
        measured: postures with markers; each fold must determine base, markers and errors.
    """
    start = _first_fit(segments, measured)
    outliers = _outliers(_fit(segments, errors, measured, start, OUTLIER_M), segments, measured)
    kept = np.setdiff1d(np.arange(len(measured.positions)), outliers)
    inside = measured.only(kept)
    nominal, calibrated = (_fit(segments, kind, inside, start) for kind in (no_errors(), errors))
    return Calibration(
        tuple(outliers.tolist()),
        nominal,
        calibrated,
        (_rms(nominal.misses(segments, inside)), _rms(calibrated.misses(segments, inside))),
        (
            _held_out(segments, no_errors(), inside, start),
            _held_out(segments, errors, inside, start),
        ),
        errors.of_joints(calibrated.of_errors),
    )


def _outliers(fit: ArmFit, segments: Sequence[Segment], measured: MeasuredMarkers) -> Ints:
    """Return the rows with large residuals in a robust fit."""
    misses = fit.misses(segments, measured).max(axis=1)
    limit = max(OUTLIER_M, OUTLIER_RATIO * float(np.median(misses)))
    return np.flatnonzero(misses > limit)


def _held_out(
    segments: Sequence[Segment], errors: Errors, measured: MeasuredMarkers, start: ArmFit
) -> float:
    """Return the RMS of held-out rows [m]."""
    order = np.random.default_rng(0).permutation(len(measured.positions))
    misses = []
    for fold in range(FOLDS):
        out = order[fold::FOLDS]
        fit = _fit(segments, errors, measured.only(np.setdiff1d(order, out)), start)
        misses.append(fit.misses(segments, measured.only(out)))
    return _rms(np.concatenate(misses))


def _first_fit(segments: Sequence[Segment], measured: MeasuredMarkers) -> ArmFit:
    """Return the best of several robust fits of base and markers alone, from random marker positions."""
    k = measured.markers.shape[1]
    generator = np.random.default_rng(1)
    best, least = None, np.inf
    for i in range(_STARTS):
        markers = generator.normal(0.0, 0.1, (k, 3)) if i else np.zeros((k, 3))
        at = np.concatenate((np.zeros(BASE), markers.ravel()))
        nowhere = ArmFit(Frame(np.zeros(3), np.eye(3)), at, no_errors(), k)
        there = _model(segments, nowhere, measured).place(at)
        base = aligned(there.reshape(-1, 3), measured.markers.reshape(-1, 3))
        fit = _fit(segments, no_errors(), measured, replace(nowhere, base=base), _START_M)
        middle = float(np.median(fit.misses(segments, measured)))
        if middle < least:
            best, least = fit, middle
    assert best is not None  # there is a start
    return best


def _fit(
    segments: Sequence[Segment],
    errors: Errors,
    measured: MeasuredMarkers,
    start: ArmFit,
    scale: float = _EXACT_M,
) -> ArmFit:
    """Return the best fit near a start without errors; residuals beyond the scale [m] are down-weighted."""
    others = np.zeros(len(errors.joints))
    k = start.markers
    fit = ArmFit(start.base, np.concatenate((start.parameters[: BASE + 3 * k], others)), errors, k)
    weight = _NOISE_M / scale / errors.sd
    usual = np.zeros((len(weight), len(fit.parameters)))
    usual[:, BASE + 3 * k :] = np.diag(weight)
    for _ in range(_ROUNDS):
        model = _model(segments, fit, measured)

        def residuals(x: Floats, model: MarkerModel = model) -> Floats:
            off = (model.place(x) - measured.markers).ravel() / scale
            return np.concatenate((off, usual @ x))

        def derivatives(x: Floats, model: MarkerModel = model) -> Floats:
            return np.vstack((model.derivatives(x).reshape(-1, len(x)) / scale, usual))

        found = least_squares(residuals, fit.parameters, jacobian=derivatives, max_steps=60)
        x = found.parameters.copy()
        x[:BASE] = 0.0
        fit = replace(fit, base=model.base_at(found.parameters), parameters=x)
    return fit


def _model(segments: Sequence[Segment], fit: ArmFit, measured: MeasuredMarkers) -> MarkerModel:
    return MarkerModel(segments, fit.errors, measured.positions, fit.base, fit.markers)


def aligned(points: Floats, wanted: Floats) -> Frame:
    """Return the rigid transform that best aligns points (m, 3) with others, by least squares."""
    middle, target_center = points.mean(axis=0), wanted.mean(axis=0)
    u, _, v = np.linalg.svd((points - middle).T @ (wanted - target_center))
    turned = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ v))])
    rotation = v.T @ turned @ u.T
    return Frame(target_center - rotation @ middle, rotation)


def _rms(misses: Floats) -> float:
    return float(np.sqrt(np.mean(misses**2)))
