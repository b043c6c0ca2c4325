"""Opens the source that a scenario or a command specifies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.scenario.source import LiveSpec, RecordingSpec, TrajectorySpec
from hetwin_core.ensemble.validation import check
from model_nodes.main_physics.sources.commanded.trajectory_source import TrajectorySource
from model_nodes.main_physics.sources.recorded import RecordedSource
from model_nodes.main_physics.sources.source import Source
from model_nodes.main_physics.world.description import Body


def open_source(
    spec: str | Path | Mapping[str, Any], *, base: Path | None = None, robots: Sequence[Body] = ()
) -> Source:
    """Open a recording or a trajectory's file, or subscribe to a live robot.

    Args:
        spec: path of a recording, or a mapping with the keys of `RecordingSpec`, `LiveSpec` or `TrajectorySpec`.
        base: folder to which a relative path is relative; by default the working directory.
        robots: those that the source moves.

    Raises:
        BadInput: if the spec is invalid, the file cannot be played back, or the robot does not publish.
    """
    if isinstance(spec, Mapping) and "live" in spec:
        from model_nodes.main_physics.sources.live.source import LiveSource

        return LiveSource(check_live(spec))
    if isinstance(spec, Mapping) and "trajectory" in spec:
        file = Path(check(TrajectorySpec, spec, "source").trajectory).expanduser()
        return TrajectorySource(file if base is None else base / file)
    mapping = {"recording": str(spec)} if isinstance(spec, str | Path) else spec
    checked = check(RecordingSpec, mapping, "source")
    path = Path(checked.recording).expanduser()
    return RecordedSource(
        path if base is None else base / path,
        joint_states=checked.joint_states,
        joints=checked.joints,
        annotations=checked.annotations,
        topics=checked.topics,
        joints_from=checked.joints_from,
        robots=robots,
    )


def check_live(spec: Mapping[str, Any]) -> LiveSpec:
    """Validate the description of a live source without subscribing to it.

    Raises:
        BadInput: if it is invalid.
    """
    return check(LiveSpec, spec, "source")
