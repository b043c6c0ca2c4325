"""The types of ``summary.json``, as far as hetwin reads it; an untrusted file is checked before use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NotRequired

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.conductor.reporting.coverage import Claim
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import EventKind

Time = float | None
"""Time in s; null for a number that JSON lacks."""
Arguments = dict[str, Any]
_Pose = Annotated[list[float], Field(min_length=7, max_length=7)]


class _Event(TypedDict):
    time: float
    name: str
    kind: EventKind
    source: str
    arguments: Arguments


class _Handover(TypedDict):
    time: float
    entity: str
    attribute: str
    cause: str


class _Failure(TypedDict):
    model: str
    call: str
    time: Time
    reason: str


_Concern = TypedDict(
    "_Concern",
    {
        "name": str,
        "severity": Severity,
        "from": float,
        "to": float,
        "arguments": Arguments,
        "text": str,
        "count": int,
    },
)
_CoverageRow = TypedDict(
    "_CoverageRow",
    {
        "claim": Claim,
        "subject": str,
        "checked": bool,
        "holds": bool | None,
        "from": list[str],
        "of": list[str],
        "spans": list[tuple[float, float]],
        "why": str | None,
    },
)


class _Base(TypedDict):
    start: _Pose
    end: _Pose


class _Robot(TypedDict):
    name: str
    base: NotRequired[_Base | None]
    consistency: NotRequired[Arguments | None]


class _Process(TypedDict):
    model: str
    pid: NotRequired[int | None]


class _Summary(TypedDict, total=False):
    """Other keys are shown unchecked; runs of older versions may lack some of these."""

    scenario: str
    ended: str
    error: _Failure | None
    simulated_time: float
    wall_time: float
    real_time_factor: float
    digest: str
    deterministic: bool
    transport: str
    processes: list[_Process]
    events: list[_Event]
    handovers: list[_Handover]
    state: Arguments
    counters: dict[str, float | None]
    warnings: list[str]
    failures: list[_Failure]
    live: dict[str, Any]
    engine: str
    concerns: list[_Concern]
    coverage: list[_CoverageRow]
    verdict: str
    shown: dict[str, str]
    robots: list[_Robot]


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(_Summary)


def check_summary(data: Mapping[str, Any], file: Path) -> None:
    """Check the keys of a summary that hetwin reads.

    Raises:
        BadInput: if a value has the wrong type; the error names it.
    """
    try:
        _adapter().validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        found = str(first["input"])[:60]
        raise BadInput(
            "this is not the summary of a run",
            file=file,
            where=where,
            found=found,
            expected=first["msg"],
        ) from None
