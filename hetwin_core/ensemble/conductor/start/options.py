"""Options of a run's start, beyond the scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hetwin_core.ensemble.errors import BadInput

LONGEST_S = 9e9
"""A time is a number of nanoseconds of 64 bits."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of one run.

    Attributes:
        source: path of a recording, ``live``, ``live:NAMESPACE``, or a mapping as JSON; None: the scenario's own.
        scene: initial geometric description, entity -> {pose: [x, y, z, qw, qx, qy, qz]}; one with
            {model: FILE, pose} is added.
        seed: None: the scenario's.
        duration: end after so many simulated seconds; None: when the source ends.
        transport: name of the transport, for the summary.
        no_source: leave the scenario's source out.
        engine: the main model's physics engine; None: the scenario's.
        packages: name of a package:// -> its folder, beside those of the scenario.
        single_steps: take each step of the main model by itself, which changes nothing but the time that it takes.
        variant: the scenario's that is run; None: the scenario as it stands. It is laid over the scenario when that is
            loaded.

    Raises:
        BadInput: if it is to end at no time that there is.
    """

    source: str | None = None
    scene: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    duration: float | None = None
    transport: str = "local"
    engine: str | None = None
    no_source: bool = False
    packages: Mapping[str, str] = field(default_factory=dict)
    variant: str | None = None
    single_steps: bool = False

    def __post_init__(self) -> None:
        if self.duration is not None and not 0.0 <= self.duration <= LONGEST_S:
            raise BadInput(
                "a run cannot go on for so long",
                where="duration",
                found=self.duration,
                expected=f"seconds, {LONGEST_S:g} at most",
            )
