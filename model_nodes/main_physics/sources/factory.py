"""Opens the source that a scenario or a command names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hetwin_suite.ensemble.errors import BadInput
from hetwin_suite.model_nodes.main_physics.sources.recorded import RecordedSource
from hetwin_suite.model_nodes.main_physics.sources.spec import RecordingSpec

_EXPECTED = {
    "extra_forbidden": f"one of {', '.join(RecordingSpec.model_fields)}",
    "missing": "this key",
}


def open_source(
    spec: str | Path | Mapping[str, Any], *, base: Path | None = None
) -> RecordedSource:
    """Open a recording.

    Args:
        spec: its path, or a mapping as `RecordingSpec` describes it.
        base: folder that a relative path counts from; the working directory if left out.

    Raises:
        BadInput: if the spec is wrong, or the recording cannot be played back.
    """
    checked = _check({"recording": str(spec)} if isinstance(spec, str | Path) else spec)
    path = Path(checked.recording).expanduser()
    return RecordedSource(
        path if base is None else base / path,
        joint_states=checked.joint_states,
        joints=checked.joints,
        annotations=checked.annotations,
        topics=checked.topics,
    )


def _check(spec: Mapping[str, Any]) -> RecordingSpec:
    try:
        return RecordingSpec.model_validate(spec)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            "the source is not described as it should be",
            where=f"source.{place}" if place else "source",
            found=_shortened(first["loc"][-1] if first["type"] == "extra_forbidden" else first),
            expected=_EXPECTED.get(first["type"], first["msg"]),
        ) from error


def _shortened(found: Any) -> Any:
    value = found["input"] if isinstance(found, dict) else found
    text = repr(value)
    return value if len(text) <= 80 else text[:77] + "..."
