"""The ROS parameters of the conductor's node."""

from __future__ import annotations

PARAMETERS: dict[str, tuple[str | int | float | bool, str]] = {
    "scenario": ("", "path of a scenario, or name of one of hetwin's, for goals that name none"),
    "source": ("", "recording, live, or live:ROBOT_NAMESPACE; empty: the scenario's"),
    "scene": ("", "where objects are, as JSON, for runs that no goal requests"),
    "duration": (0.0, "end after so many simulated seconds; 0: with the source"),
    "engine": ("", "physics engine of the main model; empty: the scenario's"),
    "variant": ("", "one of the scenario's variants; empty: the scenario as it stands"),
    "out": ("runs", "folder for the folders of runs"),
    "in_process": ("", "models that this process holds itself, separated by commas, or all"),
    "packages": ("", "JSON: name of a package:// -> its folder, beside the scenario's"),
    "state_rate": (100.0, "states published per simulated second"),
    "localized": (
        True,
        "say on tf where the odometry of a mobile robot began in the world; false where AMCL or a SLAM does so",
    ),
    "run": ("", "token of the run, as whoever starts its nodes has drawn it; empty: a new one"),
    "start_at_once": (False, "run once without waiting for a goal"),
    "start_paused": (False, "hold each run before its first step"),
    "pace": (0.0, "hold runs to so many times real time; 0: as fast as they go"),
    "runs": (0, "how many simulations to run before the process ends; 0: no end"),
}
"""Name -> default and description."""
