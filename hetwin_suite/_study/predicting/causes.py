"""Why futures fail: the first event at which they part from those that succeed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_suite._study.runs.run_result import RunResult, Seen

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
        share: of all futures that are over.
        futures: their indices.
    """

    cause: str
    event: str
    entity: str
    share: float
    futures: tuple[int, ...]

    def to_json(self) -> dict[str, str | float]:
        """Return it as JSON has it."""
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
