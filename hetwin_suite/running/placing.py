"""Where the models of a run over ROS 2 are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Placing:
    """Which model's node is started by whom; models by their names, separated by commas, or ``all``.

    Attributes:
        namespace: of all nodes.
        in_process: models that the conductor's process holds.
        elsewhere: models whose nodes others start, on this host or another.
    """

    namespace: str = ""
    in_process: str = ""
    elsewhere: str = ""
