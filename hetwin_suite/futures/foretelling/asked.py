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
        horizon_s: how long futures go on [s].
    """

    checkpoint: Checkpoint
    source: Mapping[str, Any]
    awaited: tuple[Awaited, ...]
    horizon_s: float
