"""Model of the duration of a command for a robot that first rotates and then drives, fitted to measured durations.

Rotation and drive each have a trapezoidal velocity profile, or a triangular one if they are short; a constant lag is
added. Angles and distances may have any unit; speeds have the same unit per second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.least_squares import Fit, Floats, least_squares

NAMES = ("turn_speed", "turn_acceleration", "speed", "acceleration", "lag")
_SCALE_S = 0.05
"""Minimum scale of the robust loss [s]; the scale grows with the median residual."""
_TRUST = 0.3
"""Prior standard deviation of the parameters about the virtual robot's: relative; for the lag in s."""
_LOOSE = 2.0
"""The same if the virtual robot's parameters are unknown."""
_RAMPS = (0.3, 1.0, 3.0)
"""Factors of the accelerations at the starts of the fit."""
_LEAST_CYCLE_S = 0.002
_FOLDS = 5
_GAIN = 0.95
"""Maximum error of a model relative to that of a simpler one which it replaces."""
_MOST_OFF = 3.0
"""Maximum factor of a speed or an acceleration; its inverse is the minimum. Laps do not determine larger ones."""


class Lap(NamedTuple):
    """A command and its durations [s]; None for a robot that did not respond in time."""

    rotation: float
    displacement: float
    real: float | None
    virtual: float | None


@dataclass(frozen=True, slots=True)
class TravelModel:
    """Speeds, accelerations and lag [s] of a robot that first rotates and then drives."""

    turn_speed: float
    turn_acceleration: float
    speed: float
    acceleration: float
    lag: float

    def time(self, rotation: float, displacement: float) -> float:
        """Return the duration of a command [s]."""
        return float(self.times(np.array([[rotation, displacement]]))[0])

    def times(self, commands: Floats) -> Floats:
        """Return the durations (n,) [s] of commands (n, 2), rotation and displacement."""
        ways = np.abs(commands)
        turning = _trapezoid(ways[:, 0], self.turn_speed, self.turn_acceleration)
        return turning + _trapezoid(ways[:, 1], self.speed, self.acceleration) + self.lag


@dataclass(frozen=True, slots=True)
class TravelFit:
    """A fitted travel model and its uncertainty.

    Attributes:
        model: best fit.
        sd: standard deviations of its parameters by name; inf for those that the laps do not determine.
        cycle: period of the controller at whose ticks laps end [s], which adds half a period on average; 0: none.
    """

    model: TravelModel
    sd: dict[str, float]
    cycle: float = 0.0

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters by name."""
        return asdict(self.model)

    def time(self, rotation: float, displacement: float) -> float:
        """Return the duration of a command [s]."""
        return self.model.time(rotation, displacement) + self.cycle / 2.0


def travel_model(
    laps: Sequence[Lap | tuple[float, float, float | None, float | None]],
) -> TravelFit:
    """Fit a model to the laps of the real robot; the virtual robot's laps provide the prior.

    Raises:
        ValueError: if there are fewer than six laps of the real robot.
    """
    rows = [Lap(*lap) for lap in laps]
    commands, times = _known(rows, "real")
    if len(times) <= len(NAMES):
        raise ValueError(
            f"found {len(times)} laps of the real robot; expected at least {len(NAMES) + 1}"
        )
    believed = _believed(rows)
    start = _rough(commands, times) if believed is None else believed
    return _fit(commands, times, start, _LOOSE if believed is None else _TRUST)


def adjusted(sheet: TravelModel, laps: Sequence[Lap]) -> TravelFit:
    """Return the parameters that make the virtual robot as fast as the real one.

    Both robots are fitted, and the virtual robot's parameters are multiplied by the ratio of the fits. Errors that
    both fits share, such as a velocity profile that is not exactly trapezoidal, cancel.

    Args:
        sheet: parameters of the virtual robot.
        laps: moves of both robots.

    Returns:
        The new parameters, with the standard deviations of the real robot's fit.

    Raises:
        ValueError: if there are fewer than six laps.
    """
    real = travel_model(laps)
    virtual = travel_model([lap._replace(real=lap.virtual, virtual=None) for lap in laps])
    old, wanted, found = asdict(sheet), real.parameters, virtual.parameters
    new = {
        name: old[name] * min(max(wanted[name] / found[name], 1.0 / _MOST_OFF), _MOST_OFF)
        for name in NAMES[:4]
    }
    longer = _rest(laps, "real", TravelModel(**new, lag=0.0))
    usual = _rest(laps, "virtual", replace(sheet, lag=0.0))
    return TravelFit(TravelModel(**new, lag=max(0.0, sheet.lag + longer - usual)), real.sd)


def _rest(laps: Sequence[Lap], side: str, moves: TravelModel) -> float:
    """Return the median difference between the laps of a robot and the durations of its moves without a lag [s]."""
    commands, times = _known(laps, side)
    return float(np.median(times - moves.times(commands)))


def _known(laps: Sequence[Lap], side: str) -> tuple[Floats, Floats]:
    """Return commands (n, 2) and durations (n,) of a robot's completed laps."""
    rows = [
        (lap.rotation, lap.displacement, time)
        for lap in laps
        if (time := getattr(lap, side)) is not None
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return table[:, :2], table[:, 2]


def _believed(laps: Sequence[Lap]) -> Floats | None:
    """Return the virtual robot's log speeds and accelerations, and its lag (5,); None if it has too few laps."""
    commands, times = _known(laps, "virtual")
    if len(times) <= len(NAMES):
        return None
    fit = _fit(commands, times, _rough(commands, times), _LOOSE)
    values = np.array(list(fit.parameters.values()))
    return np.append(np.log(values[:4]), values[4])


def _rough(commands: Floats, times: Floats) -> Floats:
    """Return initial parameters: speeds by linear regression, ramps of half a second."""
    ways = np.abs(commands)
    slopes = np.linalg.lstsq(np.column_stack([ways, np.ones(len(ways))]), times, rcond=None)[0]
    mean = np.maximum(ways.mean(axis=0), 1e-9) / max(float(times.mean()), 1e-9)
    speeds = np.where(slopes[:2] > 0.0, 1.0 / np.maximum(slopes[:2], 1e-9), mean)
    speeds = np.clip(speeds, 0.2 * mean, 50.0 * mean)
    return np.array([*np.log([speeds[0], 2 * speeds[0], speeds[1], 2 * speeds[1]]), 0.1])


def _fit(commands: Floats, times: Floats, start: Floats, trust: float) -> TravelFit:
    """Return the best fit; without a prior from several starts; the loss's scale is estimated from the laps."""
    ramps = _RAMPS if trust == _LOOSE else (1.0,)
    starts = [start + np.log([1.0, f, 1.0, f, 1.0]) for f in ramps]
    first = _best(commands, times, start, starts, trust, 4.0 * _SCALE_S)
    off = np.abs(first.residuals[: len(times)]) * 4.0 * _SCALE_S
    scale = max(_SCALE_S, 3.0 * 1.48 * float(np.median(off)))
    fit = _best(commands, times, start, [first.parameters], trust, scale)
    found, cycle = _model(fit.parameters), _cycle(times)
    model = replace(found, lag=max(0.0, found.lag - cycle / 2.0))
    values = np.array(list(asdict(model).values()))
    slope = np.append(values[:4], 1.0)
    return TravelFit(model, dict(zip(NAMES, (fit.sd * slope).tolist(), strict=True)), cycle)


def _cycle(times: Floats) -> float:
    """Return the longest period of which all laps are multiples [s]; 0 if there is none."""
    steps = np.diff(np.unique(np.round(times, 6)))
    cycle = float(steps.min()) if len(steps) else 0.0
    if cycle < _LEAST_CYCLE_S or len(steps) < len(NAMES):
        return 0.0
    counts = times / cycle
    return cycle if float(np.abs(counts - np.round(counts)).max()) < 0.02 else 0.0


def _best(
    commands: Floats,
    times: Floats,
    belief: Floats,
    starts: Sequence[Floats],
    trust: float,
    scale: float,
) -> Fit:
    def residuals(x: Floats) -> Floats:
        off = (_model(x).times(commands) - times) / scale
        return np.concatenate([off, (x - belief) / (3.0 * trust)])

    low, high = belief - 4.0, belief + 4.0
    low[4], high[4] = 0.0, max(60.0, float(times.max()))
    fits = [least_squares(residuals, x, lower=low, upper=high) for x in starts]
    return min(fits, key=lambda fit: fit.cost)


def _model(x: Floats) -> TravelModel:
    turn_speed, turn_acceleration, speed, acceleration = np.exp(x[:4]).tolist()
    return TravelModel(turn_speed, turn_acceleration, speed, acceleration, float(x[4]))


def _trapezoid(way: Floats, speed: float, acceleration: float) -> Floats:
    """Return the durations from rest to rest [s] of distances (n,), 0 or more."""
    ramps = speed * speed / acceleration
    return np.where(
        way >= ramps, way / speed + speed / acceleration, 2.0 * np.sqrt(way / acceleration)
    )


# ---------------------------------------------------------------------- the best predictor


Predictor = Callable[[Sequence[Lap]], Floats]
"""Predicts durations of the real robot [s] from commands with the virtual robot's durations."""


@dataclass(frozen=True, slots=True)
class ChosenPredictor:
    """The best predictor of held-out laps.

    Attributes:
        name: ``nothing`` (the virtual robot's durations), ``line`` (their linear regression) or ``trapezoid``.
        errors: median error of each kind in cross-validation [s]; kinds that could not be fitted are missing.
        predict: predicts the durations of commands.
    """

    name: str
    errors: dict[str, float]
    predict: Predictor


def choose(laps: Sequence[Lap]) -> ChosenPredictor:
    """Choose the predictor of the real robot's durations by cross-validation.

    Raises:
        ValueError: if there are too few laps of the real robot.
    """
    known = [lap for lap in laps if lap.real is not None]
    travel_model(known)  # raises if there are too few
    kinds: dict[str, Callable[[Sequence[Lap]], Predictor]] = {"trapezoid": _trapezoids}
    if all(lap.virtual is not None for lap in known):
        kinds = {"nothing": _nothing, "line": _line, **kinds}
    errors = {name: _error(learn, known) for name, learn in kinds.items()}
    names = [name for name in kinds if np.isfinite(errors[name])] or ["trapezoid"]
    best = names[0]
    for name in names[1:]:
        if errors[name] < _GAIN * errors[best]:
            best = name
    return ChosenPredictor(
        best, {n: e for n, e in errors.items() if np.isfinite(e)}, kinds[best](known)
    )


def _error(learn: Callable[[Sequence[Lap]], Predictor], laps: Sequence[Lap]) -> float:
    """Return the median error of held-out laps in 5 folds [s]; inf if a fold leaves too few laps for a fit."""
    off: list[float] = []
    for fold in range(_FOLDS):
        held = laps[fold::_FOLDS]
        rest = [lap for i, lap in enumerate(laps) if i % _FOLDS != fold]
        if len(rest) <= len(NAMES) or not held:
            return float("inf")
        times = np.array([lap.real for lap in held], dtype=np.float64)
        off += np.abs(learn(rest)(held) - times).tolist()
    return float(np.median(off))


def _nothing(_laps: Sequence[Lap]) -> Predictor:
    return _virtual


def _line(laps: Sequence[Lap]) -> Predictor:
    """Return a robust linear regression on the virtual robot's durations."""
    believed, times = _virtual(laps), np.array([lap.real for lap in laps], dtype=np.float64)
    fit = least_squares(
        lambda x: (x[0] + x[1] * believed - times) / (4.0 * _SCALE_S), np.array([0.0, 1.0])
    )
    offset, slope = fit.parameters
    return lambda commands: offset + slope * _virtual(commands)


def _trapezoids(laps: Sequence[Lap]) -> Predictor:
    fit = travel_model(laps)
    return lambda commands: (
        fit.cycle / 2.0
        + fit.model.times(
            np.array([(lap.rotation, lap.displacement) for lap in commands]).reshape(-1, 2)
        )
    )


def _virtual(laps: Sequence[Lap]) -> NDArray[np.float64]:
    """Return the virtual robot's durations (n,) [s]; NaN: none."""
    return np.array([lap.virtual for lap in laps], dtype=np.float64)
