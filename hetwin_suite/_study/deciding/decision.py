"""What was decided, and what the other strategies would have brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_suite._study.counting.mean import Mean, mean_of
from hetwin_suite._study.counting.product import SURE, Chance, product
from hetwin_suite._study.experience import Experience
from hetwin_suite._study.runs.run_result import RunResult
from hetwin_suite._study.successes import Row

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Tried:
    """A strategy and what its futures brought.

    Attributes:
        name: in the library.
        plan: the source that carries it out.
        futures: those that are over, and did not break down.
        broken: those that broke down, or could not be carried out.
        brought: the mean of their utilities, with its interval; times the chance that no action fails for a cause that
            no future knows.
        prior: what experience says of its actions.
        critical: whether it fails in too large a share of futures.
    """

    name: str
    plan: Mapping[str, Any]
    futures: Sequence[RunResult]
    broken: Sequence[RunResult]
    brought: Mean
    critical: bool
    prior: Sequence[Row] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        found: dict[str, Any] = {
            "name": self.name,
            "utility": _rounded(self.brought.mean),
            "low": _rounded(self.brought.low),
            "high": _rounded(self.brought.high),
            "futures": self.brought.of,
            "critical": self.critical,
        }
        if self.prior:
            found["prior"] = [row.to_json() for row in self.prior]
        if self.broken:
            found |= {"failed": len(self.broken), "error": self.broken[0].error}
        return found


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided.

    Attributes:
        at_s: the moment [s].
        seed: of the draws.
        chosen: the best strategy; None if no future is over.
        tried: all strategies, the best first.
        wall_s: wall time from the moment on [s].
        whole: whether the time sufficed.
    """

    at_s: float
    seed: int
    chosen: Tried | None
    tried: Sequence[Tried]
    wall_s: float
    whole: bool

    @property
    def processor_s(self) -> float:
        """Processor time of all futures [s]."""
        each = (one for tried in self.tried for one in (*tried.futures, *tried.broken))
        return sum(one.processor_s for one in each)

    def lacking(self, experience: Experience) -> list[str]:
        """Operations about which experience says nothing with these arguments, though it does with others."""
        futures = (one for tried in self.tried for one in tried.futures)
        return experience.lacks(act for one in futures for act in one.actions)

    @property
    def deterministic(self) -> bool:
        """Whether the same question gets the same answer."""
        return self.whole and all(one.reproducible for each in self.tried for one in each.futures)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "chosen": None if self.chosen is None else self.chosen.name,
            "strategies": [tried.to_json() for tried in self.tried],
            "plan": None if self.chosen is None else self.chosen.plan,
            "at": self.at_s,
            "seed": self.seed,
            "wall_s": round(self.wall_s, 3),
            "processor_s": round(self.processor_s, 3),
            "deterministic": self.deterministic,
        }


def tried(
    name: str,
    plan: Mapping[str, Any],
    futures: Sequence[RunResult],
    critical: float,
    judged: bool,
    experience: Experience,
) -> Tried:
    """Return what the futures of a strategy brought.

    Args:
        name: of the strategy.
        plan: that carries it out.
        futures: all that are over.
        critical: the share of failing futures above which it is critical.
        judged: whether there are outcomes, so that a future can fail.
        experience: of what no future knows.
    """
    good = [one for one in futures if one.error is None]
    broken = [one for one in futures if one.error is not None]
    failing = len(broken) + (sum(not one.succeeded for one in good) if judged else 0)
    chance = experience.chance([one.actions for one in good])
    is_critical = bool(futures) and 1.0 - (1.0 - failing / len(futures)) * chance.p > critical
    brought = mean_of([one.value for one in futures if one.value is not None])
    rows = {id(row): row for one in good for row in experience.rows_of(one.actions)}
    return Tried(
        name, plan, good, broken, _times(brought, chance), is_critical, list(rows.values())
    )


def _times(brought: Mean, chance: Chance) -> Mean:
    """Return a share of successes times the chance that nothing fails that no future knows."""
    mean, low, high, of = brought
    if chance == SURE or mean is None or low is None or high is None:
        return brought
    return Mean(*product([Chance(mean, low, high), chance]), of)


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, _DIGITS)
