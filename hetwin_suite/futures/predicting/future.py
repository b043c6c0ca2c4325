"""What came of one future."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats


class Seen(NamedTuple):
    """An event of a future.

    Attributes:
        name: e.g. ``collision(ball, bin)``; alike in all futures.
        kind: its own name, e.g. ``collision``.
        entity: what it is about first; empty if that is none of the scene.
        words: e.g. ``ball entered bin``.
        time_ns: when it happened.
    """

    name: str
    kind: str
    entity: str
    words: str
    time_ns: int


@dataclass(frozen=True, slots=True)
class Future:
    """What came of one future.

    Attributes:
        index: of its draw.
        end_ns: simulated time at which it ended.
        digest: of its run.
        state: truth -> whether it holds at the end.
        outcomes: name -> whether it came about; None if the episode does not say.
        value: its utility; None if none was asked for, or the episode does not say.
        events: since the moment, by time.
        actions: operations and their arguments that were not over at the moment.
        inputs: what was drawn, by name.
        paths: object -> (n, 4) times [s] and positions in the world [m] of what has moved.
        reproducible: whether it would come out the same again.
        processor_s: processor time that it took [s].
        error: why it failed; None if it did not.
        refused: whether it failed because a model cannot go on with what was drawn.
        folder: where it is kept; empty if it is not.
    """

    index: int
    end_ns: int = 0
    digest: str = ""
    state: Mapping[str, bool] = field(default_factory=dict)
    outcomes: Mapping[str, bool | None] = field(default_factory=dict)
    value: float | None = None
    events: Sequence[Seen] = ()
    actions: Sequence[tuple[str, Mapping[str, Json]]] = ()
    inputs: Mapping[str, Json] = field(default_factory=dict)
    paths: Mapping[str, Floats] = field(default_factory=dict)
    reproducible: bool = True
    processor_s: float = 0.0
    error: str | None = None
    refused: bool = False
    folder: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether all outcomes came about."""
        return self.error is None and all(value is True for value in self.outcomes.values())

    def first(self) -> dict[str, Seen]:
        """Return each event at its first time, by name, in the order of time."""
        found: dict[str, Seen] = {}
        for seen in self.events:
            found.setdefault(seen.name, seen)
        return found
