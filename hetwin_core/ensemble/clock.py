"""Simulated time in whole nanoseconds, and the steps of the main model at which a slower model steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from hetwin_core.ensemble.errors import BadInput

NS_PER_S = 1_000_000_000
"""Nanoseconds in a second."""
FAR_FUTURE_NS = 1 << 62
"""A time later than any that a run reaches [ns]."""


def seconds(time_ns: int) -> float:
    """Nanoseconds as seconds."""
    return time_ns / NS_PER_S


@dataclass(frozen=True, slots=True)
class MainClock:
    """The main model's steps; step 0 is the start at 0 ns.

    Attributes:
        rate: steps per simulated second; any positive number.
    """

    rate: float
    _ratio: tuple[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ratio = Fraction(self.rate).limit_denominator(1_000_000)
        object.__setattr__(self, "_ratio", (NS_PER_S * ratio.denominator, ratio.numerator))

    def time_of(self, step: int) -> int:
        """Time of a step in ns; computed from the step's number, so that rounding errors do not accumulate."""
        per_second, rate = self._ratio
        return step * per_second // rate

    def times_of(self, steps: range) -> list[int]:
        """Times of steps in ns."""
        per_second, rate = self._ratio
        return [step * per_second // rate for step in steps]

    def step_from(self, time_ns: int) -> int:
        """Return the first step at or after a time in ns."""
        per_second, rate = self._ratio
        return -(-time_ns * rate // per_second)

    @property
    def period_ns(self) -> int:
        """Time of the first step in ns."""
        return self.time_of(1)


def divisor(main_rate: float, rate: float) -> int | None:
    """Number of main steps per step of a model with this rate; None if the rate does not divide the main rate."""
    if rate <= 0 or rate > main_rate:
        return None
    ratio = main_rate / rate
    every = round(ratio)
    return every if abs(ratio - every) < 1e-9 * ratio else None


def nearest_rates(main_rate: float, rate: float) -> tuple[float, ...]:
    """The closest rates below and above `rate` that divide the main rate."""
    if rate >= main_rate:
        return (main_rate,)
    every = max(1, int(main_rate / max(rate, 1e-12)))
    return tuple(sorted({main_rate / (every + 1), main_rate / every}))


def required_divisor(main_rate: float, rate: float, where: str, otherwise: str = "") -> int:
    """Number of main steps per step of a model with this rate.

    Args:
        main_rate, rate: steps per simulated second.
        where: location of the rate in the input, for the error.
        otherwise: alternatives to a rate, as the end of a sentence.

    Raises:
        BadInput: if the rate does not divide the main rate.
    """
    every = divisor(main_rate, rate)
    if every is None:
        near = " or ".join(f"{r:g}" for r in nearest_rates(main_rate, rate))
        raise BadInput(
            "this rate does not divide the main model's rate",
            where=where,
            found=rate,
            expected=f"{near} with the main rate {main_rate:g}{otherwise}",
        )
    return every
