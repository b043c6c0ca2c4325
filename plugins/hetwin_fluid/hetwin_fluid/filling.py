"""The positions of the balls in a filled cup."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hetwin_fluid.balls import Balls, Kind, Substance
from hetwin_fluid.cup import Cup
from hetwin_fluid.motion import Field
from hetwin_suite.model import BadInput, Floats

_APART = 2.1
"""Initial distance between neighbours, in radii."""
_JITTER = 0.04
"""Random displacement, in radii; without it, balls would stay balanced in exact columns."""
_HEAP = 1.5
"""Height of the initial heap above the rim, in heights of the cup; the grid is less dense than settled balls."""
_SETTLING_S = 1.0
_PIECE_S = 0.01
_STEP_S = 0.005


def settled_in(cup: Cup, count: int, substance: Substance, gravity: float, seed: int) -> Floats:
    """Simulate balls until they have settled in an upright cup.

    They settle as points, regardless of their kind: without friction that is much faster.

    Args:
        cup: the cup to fill.
        count: number of balls.
        substance: the balls' properties.
        gravity: magnitude of gravity [m/s2].
        seed: seed of the random displacements.

    Returns:
        (count, 3) positions in the cup's frame [m].

    Raises:
        BadInput: if the balls do not fit into the cup.
    """
    if not count:
        return np.empty((0, 3))
    balls = Balls(cup.walls, count, replace(substance, kind=Kind.POINTS, step=_STEP_S))
    places = _places(balls, cup)
    if not cup.holds(places).any():
        raise BadInput(
            "there is no room in this body",
            where="cup",
            found=cup.name,
            expected="a hollow one, open along its z axis, and particles smaller than its inside",
        )
    if len(places) < count:
        raise _too_many(balls, cup, count, len(places))
    shift = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3))
    start = places[:count] + _JITTER * substance.radius * shift
    balls.place(np.arange(count), start, np.zeros((count, 3)))
    still = Field(np.array([0.0, 0.0, -gravity]), np.zeros((3, 3)), np.zeros((3, 3)))
    for _ in range(round(_SETTLING_S / _PIECE_S)):
        balls.advance(_PIECE_S, still)
    stayed = int(cup.holds(balls.positions).sum())
    if stayed < count:
        raise _too_many(balls, cup, count, stayed)
    return balls.positions.copy()


def _too_many(balls: Balls, cup: Cup, count: int, room: int) -> BadInput:
    return BadInput(
        f"{cup.name} does not hold {count} particles of {2e3 * balls.substance.radius:g} mm diameter",
        where="particles",
        found=count,
        expected=f"about {room}; or a cup without gaps",
    )


def _places(balls: Balls, cup: Cup) -> Floats:
    """Return (n, 3) the grid positions at which a ball touches nothing, lowest first."""
    radius = balls.substance.radius
    step = _APART * radius
    axes = [_centred(cup.low[i] + radius, cup.high[i] - radius, step) for i in (0, 1)]
    heap: float = cup.high[2] + _HEAP * (cup.high[2] - cup.low[2])
    heights = np.arange(cup.low[2] + radius, heap, radius / 2)
    z, x, y = np.meshgrid(heights, *axes, indexing="ij")
    grid = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    grid = grid[cup.beyond_outline(grid) < -radius]
    free = grid[balls.free_places(grid)]
    return _spaced(free, step)


def _centred(low: float, high: float, step: float) -> Floats:
    """Return evenly spaced numbers, centred between two bounds."""
    count = int((high - low) / step) + 1 if high > low else 0
    return (low + high) / 2 + step * (np.arange(count, dtype=np.float64) - (count - 1) / 2)


def _spaced(points: Floats, step: float) -> Floats:
    """Select points that are at least a step apart along z among those above each other, from the lowest up."""
    last: dict[tuple[float, float], float] = {}
    kept = []
    for x, y, z in points.tolist():
        column = (round(x, 9), round(y, 9))
        if z - last.get(column, -np.inf) >= step - 1e-12:
            last[column] = z
            kept.append((x, y, z))
    return np.array(sorted(kept, key=lambda p: p[2])).reshape(-1, 3)
