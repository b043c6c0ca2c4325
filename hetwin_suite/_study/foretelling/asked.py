"""What the twin asks the process beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hetwin_core.ensemble.conductor.checkpoint.checkpoint import Checkpoint
from hetwin_core.ensemble.events import Json


class Awaited(NamedTuple):
    """An action that was announced and has not begun.

    Attributes:
        operation: its name.
        arguments: its own.
        effect_s: when it begins, by `time.time` of this machine [s].
    """

    operation: str
    arguments: Mapping[str, Json]
    effect_s: float


class Question(NamedTuple):
    """A prediction that is asked for.

    Attributes:
        checkpoint: of the twin, without its source.
        source: what the robot has announced, as a plan.
        awaited: the actions whose effects are predicted.
        begin_s: when the first of them begins, in simulated time; until then the twin goes on as it believes [s].
        horizon_s: how long futures go on from there [s].
    """

    checkpoint: Checkpoint
    source: Mapping[str, Any]
    awaited: tuple[Awaited, ...]
    begin_s: float
    horizon_s: float
