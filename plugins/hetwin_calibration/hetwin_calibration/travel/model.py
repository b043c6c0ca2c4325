"""How long a robot that turns and then drives takes for a command, and its model from the times that it took.

A turn or a way is driven with a ramp up, a constant speed and a ramp down (a trapezoid, or a triangle if it is
short); a lag comes on top. Angles and ways may have any unit: speeds have the same per second.
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
"""Deviation at which a lap begins to be an outlier, unless the laps are worse throughout [s]."""
_TRUST = 0.3
"""How far the parameters may be off those of the data sheet, as a share; of the lag, in s."""
_LOOSE = 2.0
"""The same where nothing is known of the robot."""
_RAMPS = (0.3, 1.0, 3.0)
"""Factors of the accelerations to start from."""
_LEAST_CYCLE_S = 0.002
_FOLDS = 5
_GAIN = 0.95
"""A model must leave less than this share of a simpler one's error."""
_MOST_OFF = 3.0
"""No factor of a speed or an acceleration is larger, and none smaller than its inverse: laps show no more."""


class Lap(NamedTuple):
    """A command and the times for it [s]; None for a robot that did not answer in time."""

    rotation: float
    displacement: float
    real: float | None
    virtual: float | None


@dataclass(frozen=True, slots=True)
class TravelModel:
    """Speeds, accelerations and lag [s] of a robot that turns and then drives."""

    turn_speed: float
    turn_acceleration: float
    speed: float
    acceleration: float
    lag: float

    def time(self, rotation: float, displacement: float) -> float:
        """Return the time for a command [s]."""
        return float(self.times(np.array([[rotation, displacement]]))[0])

    def times(self, commands: Floats) -> Floats:
        """Return the times (n,) [s] for commands (n, 2) of rotation and displacement."""
        ways = np.abs(commands)
        turning = _trapezoid(ways[:, 0], self.turn_speed, self.turn_acceleration)
        return turning + _trapezoid(ways[:, 1], self.speed, self.acceleration) + self.lag


@dataclass(frozen=True, slots=True)
class TravelFit:
    """A travel model and how well it is known.

    Attributes:
        model: that fits best.
        sd: standard deviations of its parameters by name; inf for those that the laps do not determine.
        cycle: laps end with one of so many seconds, so they last half of it longer; 0: there are none.
    """

    model: TravelModel
    sd: dict[str, float]
    cycle: float = 0.0

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters by name."""
        return asdict(self.model)

    def time(self, rotation: float, displacement: float) -> float:
        """Return the time for a command [s]."""
        return self.model.time(rotation, displacement) + self.cycle / 2.0


def travel_model(
    laps: Sequence[Lap | tuple[float, float, float | None, float | None]],
) -> TravelFit:
    """Return the model of the real robot by its laps; the virtual one's show the former belief.

    Raises:
        ValueError: if fewer than six laps of the real robot are known.
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

    The error of the fit of the virtual robot's own moves corrects the other fit, so a
    controller that is not quite a trapezoid in time does not matter.

    Args:
        sheet: the virtual robot's parameters.
        laps: moves that both robots made.

    Returns:
        The new parameters, with the standard deviations of the real robot's.

    Raises:
        ValueError: if fewer than six laps are known.
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
    """Median by which the laps of a robot exceed its moves without any lag [s]."""
    commands, times = _known(laps, side)
    return float(np.median(times - moves.times(commands)))


def _known(laps: Sequence[Lap], side: str) -> tuple[Floats, Floats]:
    """Commands (n, 2) and times (n,) of the laps of a robot that are known."""
    rows = [
        (lap.rotation, lap.displacement, time)
        for lap in laps
        if (time := getattr(lap, side)) is not None
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return table[:, :2], table[:, 2]


def _believed(laps: Sequence[Lap]) -> Floats | None:
    """Logarithms of speeds and accelerations, and the lag, of the virtual robot; None if too little is known of it."""
    commands, times = _known(laps, "virtual")
    if len(times) <= len(NAMES):
        return None
    fit = _fit(commands, times, _rough(commands, times), _LOOSE)
    values = np.array(list(fit.parameters.values()))
    return np.append(np.log(values[:4]), values[4])


def _rough(commands: Floats, times: Floats) -> Floats:
    """A first idea: the straight line through the times, half a second of ramps."""
    ways = np.abs(commands)
    slopes = np.linalg.lstsq(np.column_stack([ways, np.ones(len(ways))]), times, rcond=None)[0]
    mean = np.maximum(ways.mean(axis=0), 1e-9) / max(float(times.mean()), 1e-9)
    speeds = np.where(slopes[:2] > 0.0, 1.0 / np.maximum(slopes[:2], 1e-9), mean)
    speeds = np.clip(speeds, 0.2 * mean, 50.0 * mean)
    return np.array([*np.log([speeds[0], 2 * speeds[0], speeds[1], 2 * speeds[1]]), 0.1])


def _fit(commands: Floats, times: Floats, start: Floats, trust: float) -> TravelFit:
    """The best fit; from slow and fast ramps where little is known, with the outliers' scale from the laps."""
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
    """The longest time of which all laps are multiples [s]; 0 if they are of none."""
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
    """Time from rest to rest [s] for ways (n,) of 0 or more."""
    ramps = speed * speed / acceleration
    return np.where(
        way >= ramps, way / speed + speed / acceleration, 2.0 * np.sqrt(way / acceleration)
    )


# ---------------------------------------------------------------------- the best predictor


Predictor = Callable[[Sequence[Lap]], Floats]
"""Commands, with the virtual robot's times, to the real one's times [s]."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The best predictor of held-out laps: ``nothing`` new, a straight ``line``, or the ``trapezoid``.

    Attributes:
        name: of the kind.
        errors: median errors in cross-validation by kind [s]; those that could not be tried are left out.
        predict: times of commands.
    """

    name: str
    errors: dict[str, float]
    predict: Predictor


def choose(laps: Sequence[Lap]) -> Chosen:
    """Choose by cross-validation how to predict the real robot's times.

    Raises:
        ValueError: if too few laps of the real robot are known.
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
    return Chosen(best, {n: e for n, e in errors.items() if np.isfinite(e)}, kinds[best](known))


def _error(learn: Callable[[Sequence[Lap]], Predictor], laps: Sequence[Lap]) -> float:
    """Median error [s] of laps that were left out, every fifth at a time; inf if too few are left to learn from."""
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
    """A straight line through the virtual robot's times, with outliers hardly counting."""
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
    """Times of the virtual robot (n,) [s]; nan where it has none."""
    return np.array([lap.virtual for lap in laps], dtype=np.float64)
