"""A load that an arm carries for a part of a recording, found as a step that nothing which lasts explains.

For each span of time a mass on the last link is fitted beside all that `bodies` fits. With the columns of these
projected out once, sums over spans are differences of cumulative sums, so that all spans are tried.
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
"""A load is at least this many standard deviations: the best of many spans is looked for."""
_GRID = 250
_ROUNDS = 2
_SHORTEST_S = 1.0
"""A load is carried, and not carried, for at least this long."""
_FREE = 0.05
"""Share of a load's square that nothing which lasts may explain."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A load that is carried for a while.

    Attributes:
        mass: [kg], with its standard deviation `sd`.
        begin, end: in the time of the samples [s].
    """

    mass: float
    sd: float
    begin: float
    end: float

    def words(self, since: float) -> str:
        """The load, with times from the beginning of the recording [s]."""
        times = f"from {self.begin - since:.2f} to {self.end - since:.2f} s"
        return f"{self.mass:.3g} +- {self.sd:.2g} kg {times}"

    def to_json(self, since: float) -> dict[str, float]:
        """As ``--json`` prints it."""
        times = {"from": self.begin - since, "to": self.end - since}
        return {"mass": self.mass, "sd": self.sd, **times}

    def efforts(self, samples: Samples) -> Floats:
        """Return (m, n) the efforts that it needs."""
        during = (samples.times >= self.begin) & (samples.times <= self.end)
        found: Floats = self.mass * samples.loads[:, :, 0] * during[:, None]
        return found


def carried_load(samples: Samples, loads: Floats, found: Split) -> Carried | None:
    """Return the load that an arm carries for a while; None if the recording does not speak for one.

    Args:
        samples: of the recording.
        loads: efforts for each unit of a mass on each link, as `link_loads` returns them.
        found: split of the samples.
    """
    if not found.is_torque:
        return None
    usual = replace(found, signs=np.ones_like(found.signs))
    columns, target = equations(samples, loads, usual)
    one = columns[:, :, -LOADS]
    best: Carried | None = None
    for _ in range(_ROUNDS):
        without = target if best is None else target - best.efforts(samples)
        _, weights = robust_fit(columns, without)
        best = _best(samples.times, columns, np.nan_to_num(target), one, np.sqrt(weights))
        if best is None:
            return None
    return best


def _best(
    times: Floats, columns: Floats, target: Floats, one: Floats, weights: Floats
) -> Carried | None:
    rows = (columns * weights[:, :, None]).reshape(-1, columns.shape[2])
    sizes = np.sqrt((rows**2).sum(axis=0))
    basis = np.linalg.qr(rows[:, sizes > 0.0] / sizes[sizes > 0.0])[0]
    values = (target * weights).ravel()
    y: Floats = (values - basis @ (basis.T @ values)).reshape(target.shape)
    x = one * weights
    at: NDArray[np.intp] = np.linspace(0, len(times), min(_GRID, len(times)) + 1).astype(np.intp)
    sums = _sums((x * y).sum(axis=1), at)
    squares = _sums((x**2).sum(axis=1), at)
    inside = np.einsum("mn,mnp->mp", x, basis.reshape(*x.shape, -1), optimize=True)
    shared = _sums(inside, at)
    first, last = np.triu_indices(len(at), 1)
    total = squares[last] - squares[first]
    free = total - ((shared[last] - shared[first]) ** 2).sum(axis=1)
    ends = np.append(times, 2.0 * times[-1] - times[-2])[at]
    lasts = ends[last] - ends[first]
    usable = (free > _FREE * total) & (free > 0.0)
    usable &= (lasts >= _SHORTEST_S) & (lasts <= ends[-1] - ends[0] - _SHORTEST_S)
    if not usable.any():
        return None
    pulls = sums[last] - sums[first]
    gains = np.where(usable & (pulls > 0.0), pulls**2 / np.where(usable, free, 1.0), 0.0)
    k = int(gains.argmax())
    if gains[k] <= 0.0:
        return None
    mass = float(pulls[k] / free[k])
    rest = y.copy()
    rest[at[first[k]] : at[last[k]]] -= mass * x[at[first[k]] : at[last[k]]]
    known = weights > 0.0
    variance = float((rest[known] ** 2).mean()) * alike((x * rest).sum(axis=1))
    sd = float(np.sqrt(variance / free[k]))
    begin, end = float(ends[first[k]]), float(ends[last[k]])
    return Carried(mass, sd, begin, end) if mass >= SURE * sd else None


def _sums(values: Floats, at: NDArray[np.intp]) -> Floats:
    """Cumulative sums over samples, at some of them."""
    found = np.concatenate([np.zeros((1, *values.shape[1:])), values.cumsum(axis=0)])
    return np.asarray(found[at])
