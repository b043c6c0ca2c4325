"""Options of a run's start, beyond the scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hetwin_core.ensemble.errors import BadInput

LONGEST_S = 9e9
"""Maximum duration [s]: times are 64-bit numbers of nanoseconds."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of one run.

    Attributes:
        source: path of a recording, ``live``, ``live:NAMESPACE``, or a mapping as JSON; None: the scenario's own.
        scene: initial geometric description, entity -> {pose: [x, y, z, qw, qx, qy, qz]}; an entry {model: FILE,
            pose} adds an object.
        seed: None: the scenario's.
        duration: end of the run [s of simulated time]; None: the end of the source.
        transport: name of the transport, for the summary.
        no_source: ignore the scenario's source.
        engine: the main model's physics engine; None: the scenario's.
        packages: folder of each ROS package that package:// names, in addition to those of the scenario.
        found: scene entries of the objects that packages found; None: they are searched for when the run is prepared.
        single_steps: take the main model's steps one by one, which changes only the wall time.
        variant: name of the scenario's variant, which is merged into the scenario when it is loaded; None: no
            variant.

    Raises:
        BadInput: if the duration is out of range.
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
    found: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.duration is not None and not 0.0 <= self.duration <= LONGEST_S:
            raise BadInput(
                "a run cannot last this long",
                where="duration",
                found=self.duration,
                expected=f"seconds, {LONGEST_S:g} at most",
            )
