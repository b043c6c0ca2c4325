"""What many futures of one moment say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from hetwin_futures.intervals import Chance, Related, product, related
from hetwin_futures.successes import NO_EXPERIENCE, Experience, Row
from hetwin_suite.runs import say
from hetwin_suite.study import Probability, RunResult, Seen, probability

RARE = 0.2
"""What happens in fewer of the successful futures sets a failed one apart from them."""
USUAL = 0.8
"""So does what does not happen in it, and happens in more of them."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Futures that fail alike.

    Attributes:
        cause: in words.
        event: that sets them apart; ``no EVENT`` if it does not happen.
        entity: that it is about; empty if it is about none.
        share: share of all futures that are over.
        futures: their indices.
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
    """Return why those of the futures fail that do, the most frequent cause first.

    Args:
        futures: that are over, and did not break down.
        believed: one in which nothing is drawn, from which the others part where none of them succeeds.
    """
    good = [one.first() for one in futures if one.succeeded]
    bad = [one for one in futures if not one.succeeded]
    if not good and believed is not None and believed.succeeded:
        good = [believed.first()]
    usual = _Usual(good)
    causes: dict[tuple[str, str, str], list[int]] = {}
    for one in bad:
        cause = usual.parting(one.first()) if good else _last(one)
        causes.setdefault(cause, []).append(one.index)
    found = [
        Failure(*cause, len(indices) / len(futures), tuple(indices))
        for cause, indices in causes.items()
    ]
    return sorted(found, key=lambda failure: (-failure.share, failure.event))


class _Usual:
    """What happens in the futures that succeed."""

    def __init__(self, futures: Sequence[Mapping[str, Seen]]) -> None:
        counts = Counter(name for events in futures for name in events)
        self._shares = {name: count / len(futures) for name, count in counts.items()}
        self._times = {
            name: median(events[name].time_ns for events in futures if name in events)
            for name in counts
        }
        self._words = {name: seen for events in futures for name, seen in events.items()}

    def parting(self, events: Mapping[str, Seen]) -> tuple[str, str, str]:
        """Return the cause, the event and the entity of the first thing that is different here."""
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
    """Where nothing that succeeds is known, what does not come about and the last thing that happens have to serve."""
    lacking = " and ".join(name for name, came in future.outcomes.items() if came is not True)
    if not future.events:
        return say("future.lacking", outcomes=lacking), "", ""
    seen = future.events[-1]
    return say("future.lacking", outcomes=lacking, event=seen.words), seen.name, seen.entity


_DIGITS = 6
_EQUAL_S = 1e-6


class Expected(NamedTuple):
    """An event that is expected.

    Attributes:
        name: e.g. ``released(ball, right_hand)``.
        median_s: simulated time at which it first happens, in half of the futures in which it does [s].
        low_s: in 5 % of them.
        high_s: in 95 % of them.
        share: share of the futures in which it happens.
    """

    name: str
    median_s: float
    low_s: float
    high_s: float
    share: float


@dataclass(frozen=True)
class Forecast:
    """What many futures of one moment say.

    Attributes:
        at_s: the moment, in simulated time [s].
        horizon_s: how long they went on [s].
        seed: seed of the draws.
        asked: how many were asked for.
        futures: those that are over, by index; a failed one has an error.
        outcomes: names of what counts as success; without any, no future fails.
        wall_s: wall time from the moment on [s].
        experience: of what no future knows.
        believed: a future in which nothing was drawn, if none of the others succeeds.
        over_s: when the run is over, in simulated time [s]; None: not known, or it goes on to there.
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
        """The futures that are over and did not break down."""
        return tuple(one for one in self.futures if one.error is None)

    @property
    def failed(self) -> tuple[RunResult, ...]:
        """The futures that broke down; they are neither successes nor failures."""
        return tuple(one for one in self.futures if one.error is not None)

    @property
    def processor_s(self) -> float:
        """Processor time of all futures [s]."""
        beside = 0.0 if self.believed is None else self.believed.processor_s
        return beside + sum(one.processor_s for one in self.futures)

    @property
    def deterministic(self) -> bool:
        """Whether the same question gets the same answer: none broke down or is missing, each would come out alike."""
        whole = len(self.finished) == self.asked
        return whole and all(one.reproducible for one in self.finished)

    @property
    def end_s(self) -> float:
        """Simulated time at which the futures end [s]."""
        return self.at_s + self.horizon_s

    @property
    def decided(self) -> bool:
        """Whether the run is over at the horizon, or all outcomes have come about in each future by then."""
        cut = self.over_s is not None and self.end_s < self.over_s - _EQUAL_S
        return not cut or all(one.succeeded for one in self.finished)

    @cached_property
    def success(self) -> Probability:
        """The probability that all outcomes come about."""
        return probability(sum(one.succeeded for one in self.finished), len(self.finished))

    @cached_property
    def expected(self) -> Chance:
        """The probability that all outcomes come about, and nothing fails that no future knows."""
        p, low, high, _ = self.success
        unforeseen = self.experience.chance([one.actions for one in self.finished])
        return product([Chance(p, low, high), unforeseen])

    @property
    def verdict(self) -> list[str]:
        """What the futures say of success, in sentences; none where the scenario does not say what that is."""
        if not (self.outcomes and self.finished):
            return []
        if not self.decided:
            done = sum(one.succeeded for one in self.finished)
            known = {"end": self.end_s, "over": self.over_s, "decided": done}
            return [say("future.undecided", **known, finished=len(self.finished))]
        sentences = [say("future.succeeds", **self.success._asdict())]
        if self.prior:
            names = ", ".join(row.action for row in self.prior)
            sentences.append(say("future.with_prior", names=names, **self.expected._asdict()))
        return sentences

    @cached_property
    def prior(self) -> list[Row]:
        """What experience says of the actions that are not over."""
        found = [row for one in self.finished for row in self.experience.rows_of(one.actions)]
        return list({id(row): row for row in found}.values())

    @property
    def lacking(self) -> list[str]:
        """Operations about which experience says nothing with these arguments, though it does with others."""
        return self.experience.lacks(act for one in self.finished for act in one.actions)

    @cached_property
    def predicates(self) -> dict[str, Probability]:
        """Truth -> the probability that it holds at the end; one that a future does not know is false in it."""
        names = sorted({name for one in self.finished for name in one.state})
        return {
            name: probability(
                sum(one.state.get(name, False) for one in self.finished), len(self.finished)
            )
            for name in names
        }

    @cached_property
    def failures(self) -> list[Failure]:
        """Why futures fail; none is known to as long as that is not decided."""
        known = self.outcomes and self.decided
        return failures_of(self.finished, self.believed) if known else []

    @cached_property
    def events(self) -> list[Expected]:
        """The events that are expected, by time."""
        times: dict[str, list[float]] = {}
        for one in self.finished:
            for name, seen in one.first().items():
                times.setdefault(name, []).append(seen.time_ns / 1e9)
        found: list[Expected] = []
        for name, at in times.items():
            middle, low, high = np.quantile(at, (0.5, 0.05, 0.95)).tolist()
            found.append(Expected(name, middle, low, high, len(at) / len(self.finished)))
        return sorted(found, key=lambda one: (one.median_s, one.name))

    @cached_property
    def related(self) -> list[Related]:
        """The draws that go with failure."""
        rows = [one.inputs for one in self.finished]
        return related(rows, [not one.succeeded for one in self.finished])

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
