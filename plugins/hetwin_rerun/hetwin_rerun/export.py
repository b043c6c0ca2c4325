"""Writes a finished run as a recording of Rerun."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_rerun.library import rerun
from hetwin_rerun.shapes import colour_columns, shape_archetype
from hetwin_suite.command import Result, unwritable
from hetwin_suite.episode import Episode, open_episode
from hetwin_suite.model import Entity, EntityKind
from hetwin_suite.runs import event_line
from hetwin_suite.viewer import contact_lines, model_colours, rgb

TIMELINE = "simulated time"
_WITH_SHAPES = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.LINK)
_WITH_POSES = (*_WITH_SHAPES, EntityKind.HAND)
_XYZW_COLUMNS = (4, 5, 6, 3)
_RED = 0xF24033FF

Times = NDArray[np.int64] | Sequence[int]
"""Simulated time [ns]."""


def write_rerun(run: Path, file: Path) -> Result:
    """Write a run: the scene in the colours of the owners, the owners over time, events, contacts and attributes.

    The recording also contains the layout of the viewer.

    Returns:
        The path of the file, and the number of states in it.

    Raises:
        BadInput: if there is no run, the SDK is not installed, or the file exists or cannot be written.
    """
    sdk = rerun()
    episode = open_episode(run)
    if file.exists() or not file.parent.is_dir():
        raise unwritable("the file", file, errno.EEXIST if file.exists() else errno.ENOENT)
    stream = sdk.RecordingStream(f"hetwin {episode.scenario}", recording_id=str(run.resolve()))
    stream.save(file, default_blueprint=_layout(sdk))
    _Export(sdk, stream, episode).write()
    stream.disconnect()
    states = len(episode.times)
    return Result({"states": {str(file): states}}, [f"{file}: {states} states"])


class _Export:
    """Writes the parts of an episode to a stream of Rerun."""

    def __init__(self, sdk: Any, stream: Any, episode: Episode) -> None:
        self._sdk, self._stream, self._episode = sdk, stream, episode
        self._colours = {n: (*rgb(c), 1.0) for n, c in model_colours(episode.models).items()}

    def write(self) -> None:
        layout = self._episode.layout
        for entity in layout.of_kind(*_WITH_POSES):
            if layout.has(entity.name, "pose"):
                self._write_pose(entity)
                if entity.kind in _WITH_SHAPES:
                    self._write_shapes(entity)
        self._write_owners()
        self._write_values()
        self._write_texts()
        self._write_contacts()

    def _write_pose(self, entity: Entity) -> None:
        poses = self._episode.pose(entity.name)
        if entity.kind is EntityKind.STATIC:
            transform = self._sdk.Transform3D(
                translation=poses[0, :3], quaternion=poses[0, _XYZW_COLUMNS]
            )
            self._stream.log(self._path("scene", entity.name), transform, static=True)
            return
        columns = self._sdk.Transform3D.columns(
            translation=poses[:, :3], quaternion=poses[:, _XYZW_COLUMNS]
        )
        self._send(("scene", entity.name), self._episode.times, columns)

    def _write_shapes(self, entity: Entity) -> None:
        for number, shape in enumerate(entity.shapes):
            archetype = shape_archetype(self._sdk, shape)
            if archetype is None:
                continue
            path = ("scene", entity.name, f"shape {number}")
            self._stream.log(self._path(*path), archetype, static=True)
            times, owners = [self._episode.start_ns], [""]
            if entity.kind is EntityKind.OBJECT:
                times, owners = self._owners_of(entity.name, "pose")
            rgba = np.array([self._colours.get(owner, shape.rgba) for owner in owners])
            self._send(path, times, colour_columns(self._sdk, shape, rgba))

    def _owners_of(self, entity: str, attribute: str) -> tuple[list[int], list[str]]:
        """Return the times of changes of responsibility [ns], and the new owners."""
        spans = self._episode.responsibilities[entity, attribute]
        return [span.from_ns for span in spans], [span.model for span in spans]

    def _write_owners(self) -> None:
        """Write the owners of objects' poses, and of all attributes that were handed over, as states."""
        sdk, layout = self._sdk, self._episode.layout
        handed_over = {(h.entity, h.attribute) for h in self._episode.handovers}
        poses = {(entity.name, "pose") for entity in layout.of_kind(EntityKind.OBJECT)}
        names = list(self._colours)
        packed = [[round(255 * part) for part in self._colours[name]] for name in names]
        for slot in layout.slots:
            key = slot.entity, slot.attribute.name
            if key in handed_over | poses:
                path = ("owners", f"{slot.entity}.{slot.attribute.name}")
                style = sdk.StateConfiguration(values=names, labels=names, colors=packed)
                self._stream.log(self._path(*path), style, static=True)
                times, owners = self._owners_of(*key)
                self._send(path, times, sdk.StateChange.columns(state=owners))

    def _write_values(self) -> None:
        """Write all attributes except poses."""
        episode = self._episode
        for slot in episode.layout.slots:
            if slot.attribute.name != "pose":
                numbers = episode.attribute(slot.entity, slot.attribute.name)
                columns = self._sdk.Scalars.columns(scalars=numbers.ravel())
                lengths = np.full(len(numbers), slot.attribute.size)
                path = ("values", slot.entity, slot.attribute.name)
                self._send(path, episode.times, columns.partition(lengths))

    def _write_texts(self) -> None:
        events = ((e.time_ns, event_line(e)) for e in self._episode.events)
        self._write_lines("events", (row for row in events if row[1]))
        handovers = (
            (
                h.time_ns,
                f"{h.entity}.{h.attribute}: {h.from_model} -> {h.to_model} ({h.cause})",
            )
            for h in self._episode.handovers
        )
        self._write_lines("handovers", handovers)
        self._write_lines(
            "notes", ((n.time_ns, f"{n.source}: {n.text}") for n in self._episode.notes)
        )

    def _write_lines(self, name: str, rows: Iterable[tuple[int, str]]) -> None:
        lines = list(rows)
        if lines:
            columns = self._sdk.TextLog.columns(text=[text for _, text in lines])
            self._send((name,), [time_ns for time_ns, _ in lines], columns)

    def _write_contacts(self) -> None:
        """Write the contacts of each state, as arrows from the point where a force acts on an object."""
        contacts = map(self._episode.near, range(len(self._episode.times)))
        lines = [contact_lines(rows).reshape(-1, 2, 3) for rows in contacts]
        segments, counts = np.concatenate(lines), [len(part) for part in lines]
        if len(segments):
            arrows = self._sdk.Arrows3D.columns(
                origins=segments[:, 0], vectors=segments[:, 1] - segments[:, 0]
            )
            path = ("scene", "contacts")
            self._stream.log(
                self._path(*path), self._sdk.Arrows3D.from_fields(colors=[_RED]), static=True
            )
            self._send(path, self._episode.times, arrows.partition(counts))

    def _send(self, path: Sequence[str], times: Times, columns: Any) -> None:
        when = np.asarray(times).astype("timedelta64[ns]")
        index = self._sdk.TimeColumn(TIMELINE, duration=when)
        self._stream.send_columns(self._path(*path), indexes=[index], columns=columns)

    def _path(self, *parts: str) -> str:
        return str(self._sdk.new_entity_path(parts))


def _layout(sdk: Any) -> Any:
    """Return the viewer's layout: the scene on the left, owners and events over time on the right."""
    views = sdk.blueprint
    return views.Blueprint(
        views.Horizontal(
            views.Spatial3DView(origin="/scene", name="scene"),
            views.Vertical(
                views.StateTimelineView(origin="/owners", name="who is responsible"),
                views.TextLogView(
                    contents=["/events", "/handovers", "/notes"], name="what happened"
                ),
            ),
            column_shares=[3, 2],
        ),
        collapse_panels=True,
    )
