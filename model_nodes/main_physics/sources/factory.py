"""Opens the source that a scenario or a command names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.source import LiveSpec, RecordingSpec
from model_nodes.main_physics.sources.recorded import RecordedSource
from model_nodes.main_physics.sources.source import Source

Spec = TypeVar("Spec", RecordingSpec, LiveSpec)


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
    checked = _check(mapping, RecordingSpec)
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
    return _check(spec, LiveSpec)


def _check(spec: Mapping[str, Any], kind: type[Spec]) -> Spec:
    try:
        return kind.model_validate(spec)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            "the source is not described as it should be",
            where=f"source.{place}" if place else "source",
            found=_shortened(first["loc"][-1] if first["type"] == "extra_forbidden" else first),
            expected=_expected(first, kind),
        ) from error


def _expected(error: Any, kind: type[Spec]) -> str:
    if error["type"] == "extra_forbidden":
        return f"one of {', '.join(kind.model_fields)}"
    return "this key" if error["type"] == "missing" else str(error["msg"])


def _shortened(found: Any) -> Any:
    value = found["input"] if isinstance(found, dict) else found
    text = repr(value)
    return value if len(text) <= 80 else text[:77] + "..."
