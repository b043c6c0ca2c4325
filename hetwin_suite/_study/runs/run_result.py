"""What came of one run of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite._study.drawing.draw import Draw


class Seen(NamedTuple):
    """An event of a run.

    Attributes:
        name: e.g. ``collision(ball, bin)``; alike in all runs.
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
class RunResult:
    """What came of one run: a whole one, or a future that went on from a moment.

    Attributes:
        index: of its draw.
        end_ns: simulated time at which it ended.
        digest: of the run; empty if it failed before it had one.
        state: truth -> whether it holds at the end.
        outcomes: name -> whether it came about; None if the episode does not say.
        flaws: their kinds, each once, in the order in which they came about; none are looked for in futures.
        value: its utility; None if none was asked for, or the episode does not say.
        events: since it began, or since the moment, by time.
        actions: operations and their arguments that were not over at the moment.
        inputs: what was drawn, by name.
        paths: object -> (n, 4) times [s] and positions in the world [m] of what has moved.
        seen: what a watch has seen, in a study that has one; all else of the episode is not looked at then.
        reproducible: whether it would come out the same again.
        processor_s: processor time that it took [s].
        error: why it failed; None if it did not.
        refused: whether it failed because a model cannot go on with what was drawn.
        folder: where it is kept; None if it is not.
    """

    index: int
    end_ns: int = 0
    digest: str = ""
    state: Mapping[str, bool] = field(default_factory=dict)
    outcomes: Mapping[str, bool | None] = field(default_factory=dict)
    flaws: Sequence[str] = ()
    value: float | None = None
    events: Sequence[Seen] = ()
    actions: Sequence[tuple[str, Mapping[str, Json]]] = ()
    inputs: Mapping[str, Json] = field(default_factory=dict)
    paths: Mapping[str, Floats] = field(default_factory=dict)
    seen: Any = None
    reproducible: bool = True
    processor_s: float = 0.0
    error: str | None = None
    refused: bool = False
    folder: str | None = None

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

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "index": self.index,
            "folder": self.folder,
            "digest": self.digest,
            "outcomes": dict(self.outcomes),
            "flaws": list(self.flaws),
            "inputs": dict(self.inputs),
            "error": self.error,
        }


def failed(draw: Draw, reason: str, digest: str = "") -> RunResult:
    """Return a run that broke down."""
    return RunResult(draw.index, digest=digest, inputs=draw.inputs, error=reason)
