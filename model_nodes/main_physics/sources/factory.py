"""Opens the source that a scenario or a command names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.scenario.source import LiveSpec, RecordingSpec
from hetwin_core.ensemble.validation import check
from model_nodes.main_physics.sources.recorded import RecordedSource
from model_nodes.main_physics.sources.source import Source


def open_source(spec: str | Path | Mapping[str, Any], *, base: Path | None = None) -> Source:
    """Open a recording, or listen to a live robot.

    Args:
        spec: path of a recording, or a mapping as `RecordingSpec` or `LiveSpec` describes it.
        base: folder that a relative path counts from; the working directory if left out.

    Raises:
        BadInput: if the spec is wrong, the recording cannot be played back, or the robot is not there.
    """
    if isinstance(spec, Mapping) and "live" in spec:
        from model_nodes.main_physics.sources.live.source import LiveSource

        return LiveSource(check_live(spec))
    mapping = {"recording": str(spec)} if isinstance(spec, str | Path) else spec
    checked = check(RecordingSpec, mapping, "source")
    path = Path(checked.recording).expanduser()
    return RecordedSource(
        path if base is None else base / path,
        joint_states=checked.joint_states,
        joints=checked.joints,
        annotations=checked.annotations,
        topics=checked.topics,
    )


def check_live(spec: Mapping[str, Any]) -> LiveSpec:
    """See that a live source is described as it should be, without listening to it.

    Raises:
        BadInput: if it is not.
    """
    return check(LiveSpec, spec, "source")
