"""Episodes made up in memory, without a run or a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_core.ensemble.conductor.reporting.listener import Handover, ModelRecord
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scene.layout import Entity, Layout
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Floats, Value
from hetwin_core.episodes.derived import Approach, Span
from hetwin_core.episodes.episode import Episode

END_S = 10.0
STATES = 501


def seconds() -> Floats:
    """(n,) the times of all states in s."""
    return np.linspace(0.0, END_S, STATES)


def poses(positions: Any) -> Floats:
    """(n, 13) poses of an entity that does not turn, from one position or one for each state."""
    found = np.zeros((STATES, POSE.size))
    found[:, :3] = positions
    found[:, 3] = 1.0
    return found


def turning(angles: Floats, position: Sequence[float] = (0.0, 0.0, 0.0)) -> Floats:
    """(n, 13) poses of an entity that turns around z by angles [rad]."""
    found = poses(position)
    found[:, 3], found[:, 6] = np.cos(angles / 2), np.sin(angles / 2)
    return found


def observed(name: str, time_s: float, source: str = "observer", **arguments: Any) -> Event:
    """An event of a model."""
    return Event(name, round(time_s * 1e9), EventKind.MODEL, source, 0, arguments)


def handed_over(entity: str, time_s: float, old: str, new: str) -> Handover:
    """A handover of a pose."""
    time_ns = round(time_s * 1e9)
    return Handover(time_ns, entity, "pose", old, new, "trigger", Value(np.zeros(13), time_ns))


def concern(name: str, severity: str, begin: float, end: float, **more: Any) -> dict[str, Any]:
    """A concern as a summary has it."""
    text = more.pop("text", name.replace("_", " "))
    row = {"name": name, "severity": severity, "from": begin, "to": end, "text": text}
    return {**row, "count": more.pop("count", 1), "arguments": more}


def made_episode(
    entities: Sequence[Entity],
    values: Mapping[tuple[str, AttributeSpec], Floats],
    *,
    owners: Mapping[tuple[str, str], str] | None = None,
    events: Sequence[Event] = (),
    handovers: Sequence[Handover] = (),
    approaches: Mapping[tuple[str, str], Approach] | None = None,
    **summary: Any,
) -> Episode:
    """An episode of 10 s.

    Args:
        entities: of the scene.
        values: (entity, attribute) -> (n, size) values.
        owners: (entity, attribute) -> model, where it is not ``physics``, which is the main one.
        events: in the order of their times.
        handovers: likewise.
        approaches: of pairs.
        **summary: the content of ``summary.json``.
    """
    owners = owners or {}
    layout = Layout.build(entities, list(values))
    names = ("physics", *dict.fromkeys(owners.values()))
    end_ns = round(END_S * 1e9)
    columns = [np.reshape(v, (STATES, -1)) for v in values.values()]
    keys = [(entity, attribute.name) for entity, attribute in values]
    owner = [names.index(owners.get(key, "physics")) for key in keys]
    return with_fields(
        Episode.__new__(Episode),
        run=Path("made_up"),
        summary={"ended": "recording", **summary},
        description={},
        scenario="made up",
        models=tuple(_record(name) for name in names),
        layout=layout,
        times=np.round(seconds() * 1e9).astype(np.int64),
        values=np.concatenate([np.empty((STATES, 0)), *columns], axis=1),
        owners=np.tile(np.array(owner, np.int32), (STATES, 1)),
        parents=np.full((STATES, len(keys)), -1, np.int32),
        events=tuple(events),
        handovers=tuple(handovers),
        annotations=(),
        responsibilities={key: (Span(0, end_ns, owners.get(key, "physics")),) for key in keys},
        notes=(),
        approaches=approaches or {},
        end_ns=end_ns,
    )


def with_fields(episode: Episode, **fields: Any) -> Episode:
    """The same episode with other content, as if that had been read from its log."""
    other = copy(episode)
    vars(other).update(fields)
    return other


def _record(name: str) -> ModelRecord:
    return ModelRecord(name, name, name, "service", "after", 100.0, name == "physics", "here", 1)
