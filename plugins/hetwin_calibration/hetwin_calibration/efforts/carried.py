"""A load that an arm carries during a part of a recording.

For each time interval a mass on the last link is fitted together with the parameters of `bodies`, which act during the
whole recording. The columns of these are projected out once; sums over intervals are then differences of cumulative
sums, so that all intervals can be tried.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.efforts.bodies import equations, robust_fit
from hetwin_calibration.efforts.fitting import alike
from hetwin_calibration.efforts.samples import LOADS, Samples
from hetwin_calibration.efforts.splitting import Split
from hetwin_suite.model import Floats

SURE = 6.0
"""Minimum load in standard deviations; large, because the best of many intervals is chosen."""
_GRID = 250
_ROUNDS = 2
_SHORTEST_S = 1.0
"""Minimum duration of a load, and minimum remaining duration without it [s]."""
_FREE = 0.05
"""Minimum share of a load's square that is independent of the other parameters."""


@dataclass(frozen=True, slots=True)
class TemporaryLoad:
    """A temporary load.

    Attributes:
        mass: mass of the load [kg].
        sd: standard deviation of the mass [kg].
        begin, end: start and end in the time of the samples [s].
    """

    mass: float
    sd: float
    begin: float
    end: float

    def words(self, since: float) -> str:
        """Return the load as text.

        Args:
            since: start of the recording in the time of the samples [s].
        """
        times = f"from {self.begin - since:.2f} to {self.end - since:.2f} s"
        return f"{self.mass:.3g} +- {self.sd:.2g} kg {times}"

    def to_json(self, since: float) -> dict[str, float]:
        """As ``--json`` prints it."""
        times = {"from": self.begin - since, "to": self.end - since}
        return {"mass": self.mass, "sd": self.sd, **times}

    def efforts(self, samples: Samples) -> Floats:
        """Return the efforts (m, n) that the load causes."""
        during = (samples.times >= self.begin) & (samples.times <= self.end)
        found: Floats = self.mass * samples.loads[:, :, 0] * during[:, None]
        return found


def carried_load(samples: Samples, loads: Floats, found: Split) -> TemporaryLoad | None:
    """Return the temporary load of an arm; None if there is no significant one.

    Args:
        samples: samples of the recording.
        loads: result of `link_loads`.
        found: split of the samples.
    """
    if not found.is_torque:
        return None
    usual = replace(found, signs=np.ones_like(found.signs))
    columns, target = equations(samples, loads, usual)
    load_columns = columns[:, :, -LOADS]
    best: TemporaryLoad | None = None
    for _ in range(_ROUNDS):
        without = target if best is None else target - best.efforts(samples)
        _, weights = robust_fit(columns, without)
        best = _best(samples.times, columns, np.nan_to_num(target), load_columns, np.sqrt(weights))
        if best is None:
            return None
    return best


def _best(
    times: Floats, columns: Floats, target: Floats, load_columns: Floats, weights: Floats
) -> TemporaryLoad | None:
    rows = (columns * weights[:, :, None]).reshape(-1, columns.shape[2])
    sizes = np.sqrt((rows**2).sum(axis=0))
    basis = np.linalg.qr(rows[:, sizes > 0.0] / sizes[sizes > 0.0])[0]
    values = (target * weights).ravel()
    y: Floats = (values - basis @ (basis.T @ values)).reshape(target.shape)
    x = load_columns * weights
    at: NDArray[np.intp] = np.linspace(0, len(times), min(_GRID, len(times)) + 1).astype(np.intp)
    sums = _sums((x * y).sum(axis=1), at)
    squares = _sums((x**2).sum(axis=1), at)
    inside = np.einsum("mn,mnp->mp", x, basis.reshape(*x.shape, -1), optimize=True)
    shared = _sums(inside, at)
    first, last = np.triu_indices(len(at), 1)
    total = squares[last] - squares[first]
    free = total - ((shared[last] - shared[first]) ** 2).sum(axis=1)
    ends = np.append(times, 2.0 * times[-1] - times[-2])[at]
    durations = ends[last] - ends[first]
    usable = (free > _FREE * total) & (free > 0.0)
    usable &= (durations >= _SHORTEST_S) & (durations <= ends[-1] - ends[0] - _SHORTEST_S)
    if not usable.any():
        return None
    pulls = sums[last] - sums[first]
    gains = np.where(usable & (pulls > 0.0), pulls**2 / np.where(usable, free, 1.0), 0.0)
    k = int(gains.argmax())
    if gains[k] <= 0.0:
        return None
    mass = float(pulls[k] / free[k])
    residual = y.copy()
    residual[at[first[k]] : at[last[k]]] -= mass * x[at[first[k]] : at[last[k]]]
    known = weights > 0.0
    variance = float((residual[known] ** 2).mean()) * alike((x * residual).sum(axis=1))
    sd = float(np.sqrt(variance / free[k]))
    begin, end = float(ends[first[k]]), float(ends[last[k]])
    return TemporaryLoad(mass, sd, begin, end) if mass >= SURE * sd else None


def _sums(values: Floats, at: NDArray[np.intp]) -> Floats:
    """Return cumulative sums over samples at some indices."""
    found = np.concatenate([np.zeros((1, *values.shape[1:])), values.cumsum(axis=0)])
    return np.asarray(found[at])
