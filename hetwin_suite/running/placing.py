"""Where the models of a run over ROS 2 run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Placing:
    """Which models' nodes are started where; models by their names, separated by commas, or ``all``.

    Attributes:
        namespace: of all nodes.
        in_process: models that the conductor's process holds.
        elsewhere: models whose nodes are started separately, on this host or another.
    """

    namespace: str = ""
    in_process: str = ""
    elsewhere: str = ""
