"""What the start of a run says beyond the scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
        variant: the scenario's that is run; None: the scenario as it stands. It is laid over the scenario when that is
            loaded.
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
