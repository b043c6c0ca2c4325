"""A forecast: the statistics of many futures of one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from hetwin_futures.intervals import Chance, Relation, product, related
from hetwin_futures.successes import NO_EXPERIENCE, Experience, Row
from hetwin_suite.runs import say
from hetwin_suite.study import Probability, RunEvent, RunResult, probability

RARE = 0.2
"""An event in a failed future distinguishes it if fewer than this share of the successful futures have it."""
USUAL = 0.8
"""A missing event distinguishes a failed future if more than this share of the successful futures have it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Futures that fail for the same cause.

    Attributes:
        cause: the cause as text.
        event: event that distinguishes them; ``no EVENT`` if it is missing.
        entity: entity of the event; empty if it has none.
        share: share of all finished futures.
        futures: indices of the futures.
    """

    cause: str
    event: str
    entity: str
    share: float
    futures: tuple[int, ...]

    def to_json(self) -> dict[str, str | float]:
        """Return the JSON representation."""
        share = round(self.share, 6)
        return {"cause": self.cause, "event": self.event, "entity": self.entity, "share": share}


def failures_of(futures: Sequence[RunResult], believed: RunResult | None = None) -> list[Failure]:
    """Return the causes of the failed futures, the most frequent first.

    Args:
        futures: finished futures.
        believed: a future in which nothing was drawn; used for comparison if none of the futures succeeds.
    """
    good = [future.first() for future in futures if future.succeeded]
    bad = [future for future in futures if not future.succeeded]
    if not good and believed is not None and believed.succeeded:
        good = [believed.first()]
    usual = _Usual(good)
    causes: dict[tuple[str, str, str], list[int]] = {}
    for future in bad:
        cause = usual.parting(future.first()) if good else _last(future)
        causes.setdefault(cause, []).append(future.index)
    found = [
        Failure(*cause, len(indices) / len(futures), tuple(indices))
        for cause, indices in causes.items()
    ]
    return sorted(found, key=lambda failure: (-failure.share, failure.event))


class _Usual:
    """The events of the futures that succeed."""

    def __init__(self, futures: Sequence[Mapping[str, RunEvent]]) -> None:
        counts = Counter(name for events in futures for name in events)
        self._shares = {name: count / len(futures) for name, count in counts.items()}
        self._times = {
            name: median(events[name].time_ns for events in futures if name in events)
            for name in counts
        }
        self._words = {name: seen for events in futures for name, seen in events.items()}

    def parting(self, events: Mapping[str, RunEvent]) -> tuple[str, str, str]:
        """Return cause, event and entity of the first difference to the successful futures."""
        new = [
            (seen.time_ns, seen.words, name, seen.entity)
            for name, seen in events.items()
            if self._shares.get(name, 0.0) < RARE
        ]
        missing = [
            (self._times[name], say("future.missing", event=seen.words), f"no {name}", seen.entity)
            for name, seen in self._words.items()
            if name not in events and self._shares[name] > USUAL
        ]
        if not new and not missing:
            return say("future.same_events"), "", ""
        _, cause, event, entity = min((*new, *missing))
        return cause, event, entity


def _last(future: RunResult) -> tuple[str, str, str]:
    """Return the missed outcomes as cause, and the last event, for failures without a successful future to compare."""
    lacking = " and ".join(name for name, came in future.outcomes.items() if came is not True)
    if not future.events:
        return say("future.lacking", outcomes=lacking), "", ""
    seen = future.events[-1]
    return say("future.lacking", outcomes=lacking, event=seen.words), seen.name, seen.entity


_DIGITS = 6
_EQUAL_S = 1e-6


class EventForecast(NamedTuple):
    """An event that happens in some futures.

    Attributes:
        name: e.g. ``released(ball, right_hand)``.
        median_s: median of the simulated time at which it first happens [s].
        low_s: 5 % quantile of that time [s].
        high_s: 95 % quantile of that time [s].
        share: share of the futures in which it happens.
    """

    name: str
    median_s: float
    low_s: float
    high_s: float
    share: float


@dataclass(frozen=True)
class Forecast:
    """The statistics of many futures of one moment.

    Attributes:
        at_s: the moment, in simulated time [s].
        horizon_s: duration of the futures [s].
        seed: seed of the draws.
        asked: number of requested futures.
        futures: futures that ended, by index; one that broke down has an error.
        outcomes: names of the outcomes that define success; without any, no future fails.
        wall_s: wall time from the moment on [s].
        experience: success rates of actions for causes that the futures do not model.
        believed: a future in which nothing was drawn, made if none of the others succeeds.
        over_s: end of the run in simulated time [s]; None: unknown, or the run lasts until the horizon.
    """

    at_s: float
    horizon_s: float
    seed: int
    asked: int
    futures: Sequence[RunResult]
    outcomes: Sequence[str]
    wall_s: float
    experience: Experience = NO_EXPERIENCE
    believed: RunResult | None = None
    over_s: float | None = None

    @cached_property
    def finished(self) -> tuple[RunResult, ...]:
        """The futures that ended without breaking down."""
        return tuple(future for future in self.futures if future.error is None)

    @property
    def failed(self) -> tuple[RunResult, ...]:
        """The futures that broke down; they are neither successes nor failures."""
        return tuple(future for future in self.futures if future.error is not None)

    @property
    def processor_s(self) -> float:
        """Processor time of all futures [s]."""
        beside = 0.0 if self.believed is None else self.believed.processor_s
        return beside + sum(future.processor_s for future in self.futures)

    @property
    def deterministic(self) -> bool:
        """Whether the same question gives the same forecast: all futures finished, and are reproducible."""
        whole = len(self.finished) == self.asked
        return whole and all(future.reproducible for future in self.finished)

    @property
    def end_s(self) -> float:
        """Simulated time at which the futures end [s]."""
        return self.at_s + self.horizon_s

    @property
    def decided(self) -> bool:
        """Whether the run is over at the horizon, or all outcomes have come about in each future by then."""
        cut = self.over_s is not None and self.end_s < self.over_s - _EQUAL_S
        return not cut or all(future.succeeded for future in self.finished)

    @cached_property
    def success(self) -> Probability:
        """The probability that all outcomes come about."""
        return probability(sum(future.succeeded for future in self.finished), len(self.finished))

    @cached_property
    def expected(self) -> Chance:
        """The probability that all outcomes come about, and no action fails for an unmodelled cause."""
        p, low, high, _ = self.success
        unforeseen = self.experience.chance([future.actions for future in self.finished])
        return product([Chance(p, low, high), unforeseen])

    @property
    def verdict(self) -> list[str]:
        """The forecast of success as sentences; empty if the scenario has no outcomes."""
        if not (self.outcomes and self.finished):
            return []
        if not self.decided:
            done = sum(future.succeeded for future in self.finished)
            known = {"end": self.end_s, "over": self.over_s, "decided": done}
            return [say("future.undecided", **known, finished=len(self.finished))]
        sentences = [say("future.succeeds", **self.success._asdict())]
        if self.prior:
            names = ", ".join(row.action for row in self.prior)
            sentences.append(say("future.with_prior", names=names, **self.expected._asdict()))
        return sentences

    @cached_property
    def prior(self) -> list[Row]:
        """Success rates of the remaining actions from experience."""
        found = [row for future in self.finished for row in self.experience.rows_of(future.actions)]
        return list({id(row): row for row in found}.values())

    @property
    def lacking(self) -> list[str]:
        """Operations that experience has rows for, but none with these arguments."""
        return self.experience.lacks(act for future in self.finished for act in future.actions)

    @cached_property
    def predicates(self) -> dict[str, Probability]:
        """Fluent -> the probability that it holds at the end; unknown counts as false."""
        names = sorted({name for future in self.finished for name in future.state})
        return {
            name: probability(
                sum(future.state.get(name, False) for future in self.finished), len(self.finished)
            )
            for name in names
        }

    @cached_property
    def failures(self) -> list[Failure]:
        """Causes of failure; empty while success is not decided."""
        known = self.outcomes and self.decided
        return failures_of(self.finished, self.believed) if known else []

    @cached_property
    def events(self) -> list[EventForecast]:
        """The events of the futures, by time."""
        times: dict[str, list[float]] = {}
        for future in self.finished:
            for name, seen in future.first().items():
                times.setdefault(name, []).append(seen.time_ns / 1e9)
        found: list[EventForecast] = []
        for name, at in times.items():
            middle, low, high = np.quantile(at, (0.5, 0.05, 0.95)).tolist()
            found.append(EventForecast(name, middle, low, high, len(at) / len(self.finished)))
        return sorted(found, key=lambda future: (future.median_s, future.name))

    @cached_property
    def related(self) -> list[Relation]:
        """The draws that are associated with failure."""
        rows = [future.inputs for future in self.finished]
        return related(rows, [not future.succeeded for future in self.finished])

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        counts = {"asked": self.asked, "finished": len(self.finished), "failed": len(self.failed)}
        found: dict[str, Any] = {
            "at": self.at_s,
            "horizon": self.horizon_s,
            "seed": self.seed,
            "futures": counts,
            "wall_s": round(self.wall_s, 3),
            "processor_s": round(self.processor_s, 3),
            "predicates": [
                {"name": name, **_rounded(found._asdict())}
                for name, found in self.predicates.items()
            ],
            "failures": [failure.to_json() for failure in self.failures],
            "events": [_rounded(event._asdict()) for event in self.events],
            "deterministic": self.deterministic,
        }
        if self.outcomes and self.finished:
            found["decided"] = self.decided
            found["success"] = _rounded(self.expected._asdict()) if self.decided else None
        if self.experience.rows:
            found["prior"] = [row.to_json() for row in self.prior]
        return found


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: round(value, _DIGITS) if isinstance(value, float) else value
        for key, value in row.items()
    }
