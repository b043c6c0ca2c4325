"""Writes a run to its folder: a bag with all states and events, and the summary."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.annotations import annotation_fields
from hetwin_core.ensemble.beliefs import belief_fields
from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scene.late_rows import LateRows, rows_of
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot, rows_left
from hetwin_core.ensemble.scene.values import Floats, Ints
from hetwin_core.ensemble.tasks import task_fields
from hetwin_core.ensemble.words import failure_row_words
from hetwin_core.projection.bag import LogBag
from hetwin_core.projection.belief_messages import BeliefTemplates
from hetwin_core.projection.contact_markers import ContactMarkers, owner_marker
from hetwin_core.projection.frame_messages import TransformTemplate
from hetwin_core.projection.markers import ParticleMarkers, shape_markers
from hetwin_core.projection.messages import header, message, stamp
from hetwin_core.projection.mobile_messages import (
    mobile_topics,
    odometry_templates,
    scan_templates,
)
from hetwin_core.projection.periodic_messages import (
    JointTemplate,
    StateTemplate,
    joint_templates,
)
from hetwin_core.projection.run_folder import LOG, check_free, write_summary
from hetwin_core.projection.run_messages import (
    event_message,
    handover_message,
    note_message,
    registry_message,
    responsibilities_message,
)

_KEPT_TEMPLATES = 64
_ROOM = 4 * 2**20
"""Bytes reserved on the disk for the last chunk, the end of the log and the summary."""
_REPETITION_NS = 1_000_000_000
"""Frames and particles that do not move are written again after this, for who begins to read in the middle."""
_FLUSH_MOMENT_S = 0.5
_FLUSH_S = 2.0
"""Events reach the disk soon, the rest later; many small chunks would make the file large."""


class _State(NamedTuple):
    """The newest state, until it is written."""

    time_ns: int
    step: int
    values: Floats
    owners: Ints
    parents: Ints
    near: Floats | LateRows


class RunLog(RunListener):
    """Listens to a run and writes ``<out>/log`` (rosbag2, MCAP) and ``<out>/summary.json``.

    The warnings of `RunStart` are not written separately: the conductor publishes them as notes too.

    Stamps and log times are simulated time since the start of the run. An event that arrived late keeps its stamp; its
    log time is that of the step before the one that handled it, so log times never go back.

    Args:
        out: folder of the run; made with its parents when the run starts.
        state_rate: states per simulated second. The first and the last state, and that of every step with an
            event or a handover, are always written.
        transform_rate: most messages on ``/tf``, and of contacts, per simulated second; one without any motion is left
            out, but never for longer than a second.

    Raises:
        BadInput: if the folder already holds a run or cannot be written to; nothing is touched then.
    """

    def __init__(
        self, out: Path, *, state_rate: float = 100.0, transform_rate: float = 30.0
    ) -> None:
        for name, rate in (("state_rate", state_rate), ("transform_rate", transform_rate)):
            if not 0.0 < rate <= 1e6:
                raise BadInput(
                    "a rate of the log is out of range",
                    where=name,
                    found=rate,
                    expected="more than 0 and at most 1e6 per second",
                )
        check_free(out)
        self.out = out
        self._state_period = round(1e9 / state_rate)
        self._transform_period = round(1e9 / transform_rate)
        self._bag: LogBag | None = None
        self._now = 0
        self._next_state = 0
        self._next_transforms = 0
        self._next_repetition = 0
        self._next_contacts = 0
        self._moment = False
        self._pending: _State | None = None
        self._owners: dict[tuple[str, str], str] = {}
        self._owners_since: int | None = None
        self._flushed = 0.0

    @property
    def log(self) -> Path:
        """Folder of the bag."""
        return self.out / LOG

    def started(self, start: RunStart) -> None:
        """Open the bag and write the registry, the table of responsibilities and the first state.

        Raises:
            BadInput: if the folder cannot be written to.
        """
        check_free(self.out)
        try:
            self.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"the folder cannot be made: {error.strerror}", file=self.out) from error
        self._layout = start.layout
        self._templates: dict[int, StateTemplate] = {}
        self._joints = joint_templates(start.layout)
        self._transforms = TransformTemplate(start.layout)
        self._particles = ParticleMarkers(start.layout)
        self._beliefs = BeliefTemplates()
        self._contacts = ContactMarkers()
        self._main = next((model.name for model in start.models if model.main), "")
        self._labelled = {entity.name for entity in start.layout.of_kind(EntityKind.OBJECT)}
        self._odometries = odometry_templates(start.layout)
        self._scans = scan_templates(start.layout)
        self._bag = LogBag(self.log, room=_ROOM)
        for topic in (*mobile_topics(start.layout), *_of_several(self._joints, start)):
            self._bag.offer(topic)
        self._bag.describe(
            scenario_file=start.scenario_file,
            source=start.source,
            seed=str(start.seed),
            rate=repr(start.rate),
            given=json.dumps(start.given, separators=(",", ":")),
        )
        self._now = start.snapshot.time_ns
        self._write_registry(start)
        self._write_state(_copy(start.snapshot, 0))
        self._next_state = self._now + self._state_period
        self._write_what_stays(start.snapshot)
        self._write_transforms(self._now, start.snapshot.values)
        self._write_scans(start.snapshot)
        self._bag.flush(self._now)  # from now on the log can be read, however the run ends
        self._flushed = time.monotonic() - _FLUSH_MOMENT_S

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Write the state if it is due, else keep it, as it may be the last one."""
        self._now = now = scene.time_ns
        moment, self._moment = self._moment, False
        if moment or now >= self._next_state:
            if self._owners_since is not None:
                self._write_responsibilities()
            self._next_state = _next(self._next_state, self._state_period, now)
            self._pending = None
            self._write_state(
                _State(now, step, scene.values, scene.owners, scene.parents, scene.near)
            )
        else:
            self._pending = _copy(scene, step)
        if now >= self._next_transforms:
            self._write_transforms(now, scene.values)
        if self._scans:
            self._write_scans(scene)
        if moment:
            self._flush(_FLUSH_MOMENT_S)
        elif self._pending is None:
            self._flush(_FLUSH_S)

    def event(self, event: Event) -> None:
        """Write an event, and, if it is one of the robot's program, the action annotation or the task too."""
        self._moment = True
        self._write(topics.EVENTS, max(self._now, event.time_ns), event_message(event))
        if event.kind is EventKind.ACTION:
            self._write_annotation(event)
        elif event.kind is EventKind.TASK:
            self._write_task(event)

    def belief(self, event: Event) -> None:
        """Write a belief; no state is written for it."""
        if self._bag is not None:
            data = self._beliefs.fill(event.time_ns, belief_fields(event))
            self._bag.write_raw(topics.BELIEFS, max(self._now, event.time_ns), data)

    def handover(self, handover: Handover) -> None:
        """Write a handover; the new table follows with the step's state."""
        self._moment = True
        self._owners[handover.entity, handover.attribute] = handover.to_model
        self._owners_since = handover.time_ns
        time_ns = max(self._now, handover.time_ns)
        self._write(topics.HANDOVERS, time_ns, handover_message(handover))
        if handover.attribute == "pose" and handover.entity in self._labelled:
            owner = None if handover.to_model == self._main else handover.to_model
            self._write(topics.MARKERS, time_ns, owner_marker(time_ns, handover.entity, owner))

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Write a note to ``/diagnostics``."""
        content = note_message(time_ns, level, source, text)
        self._write(topics.DIAGNOSTICS, max(self._now, time_ns), content)

    def ended(self, summary: RunSummary) -> None:
        """Finish the log, then write the summary, which marks the log as complete.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        if self._bag is not None:
            self._bag.use_room()
        try:
            if summary.error is not None:
                self._note_failure(summary)
        finally:
            self.close()
        write_summary(self.out, summary)

    def close(self) -> None:
        """Write the state that is still kept and finish the bag; a second call does nothing.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        bag, pending = self._bag, self._pending
        if bag is None:
            return
        bag.use_room()
        try:
            if self._owners_since is not None:
                self._write_responsibilities()
            if pending is not None:
                self._write_state(pending._replace(near=rows_left(pending.near)))
        finally:
            self._bag = None
            self._pending = None
            bag.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _flush(self, period_s: float) -> None:
        """Write everything so far to the disk, unless that was done within the period [s]."""
        now = time.monotonic()
        if self._bag is not None and now - self._flushed > period_s:
            self._flushed = now
            self._bag.flush(self._now)

    def _write(self, topic: topics.Topic, time_ns: int, content: object) -> None:
        if self._bag is not None:
            self._bag.write(topic, time_ns, content)

    def _write_registry(self, start: RunStart) -> None:
        registry = registry_message(
            self._now,
            start.scenario,
            start.models,
            start.layout,
            source=start.source,
            duration_ns=start.duration_ns,
            able=start.able,
        )
        self._write(topics.REGISTRY, self._now, registry)
        for robot, urdf in start.robot_descriptions.items():
            topic = topics.of_robot(topics.ROBOT_DESCRIPTION, robot)
            self._write(topic, self._now, message(topic.type, data=urdf))
        for slot, owner in zip(start.layout.slots, start.snapshot.owners.tolist(), strict=True):
            self._owners[slot.entity, slot.attribute.name] = start.models[owner].name
        self._owners_since = self._now
        self._write_responsibilities()

    def _write_responsibilities(self) -> None:
        since = self._now if self._owners_since is None else self._owners_since
        table = responsibilities_message(since, self._owners)
        self._write(topics.RESPONSIBILITIES, max(self._now, since), table)
        self._owners_since = None

    def _write_state(self, state: _State) -> None:
        bag = self._bag
        if bag is None:
            return
        proximity = rows_of(state.near)
        rows = len(proximity)
        template = self._templates.get(rows)
        if template is None:
            if len(self._templates) >= _KEPT_TEMPLATES:
                self._templates.clear()
            template = self._templates[rows] = StateTemplate(self._layout, rows)
        bag.write_raw(topics.STATE, state.time_ns, template.fill(*state[:5], proximity))
        self._write_contacts(bag, state.time_ns, proximity)
        for joints in self._joints:
            data = joints.fill(state.time_ns, state.values)
            bag.write_raw(joints.topic, state.time_ns, data)
        for odometry in self._odometries:
            data = odometry.fill(state.time_ns, state.values)
            bag.write_raw(odometry.topic, state.time_ns, data)

    def _write_contacts(self, bag: LogBag, time_ns: int, proximity: Floats) -> None:
        if time_ns >= self._next_contacts:
            self._next_contacts = _next(self._next_contacts, self._transform_period, time_ns)
            data = self._contacts.fill(time_ns, proximity)
            if data is not None:
                bag.write_raw(topics.CONTACTS, time_ns, data)

    def _write_transforms(self, time_ns: int, values: Floats) -> None:
        """All frames if one has moved, and all particles if one has; and both now and then, for late readers."""
        self._next_transforms = _next(self._next_transforms, self._transform_period, time_ns)
        again = time_ns >= self._next_repetition
        if again:
            self._next_repetition = _next(self._next_repetition, _REPETITION_NS, time_ns)
        frames, particles = self._transforms, self._particles
        if self._bag is not None and not frames.empty and (again or frames.changed(values)):
            self._bag.write_raw(topics.TRANSFORMS, time_ns, frames.fill(time_ns, values))
        if not particles.empty and (again or particles.changed(values)):
            self._write(topics.PARTICLES, time_ns, particles.markers(time_ns, values))

    def _write_scans(self, scene: Snapshot) -> None:
        for scan in self._scans:
            if self._bag is not None and scan.due(scene.time_ns):
                data = scan.fill(scene.time_ns, scene.values)
                self._bag.write_raw(scan.topic, scene.time_ns, data)

    def _write_what_stays(self, scene: Snapshot) -> None:
        """The frames of static bodies, and all shapes, which are drawn in the frames of their entities."""
        fixed = TransformTemplate(scene.layout, (EntityKind.STATIC,))
        if self._bag is not None and not fixed.empty:
            data = fixed.fill(self._now, scene.values)
            self._bag.write_raw(topics.STATIC_TRANSFORMS, self._now, data)
        shapes = shape_markers(scene.layout, self._now)
        if shapes.markers:
            self._write(topics.MARKERS, self._now, shapes)

    def _write_annotation(self, event: Event) -> None:
        self._write(
            topics.ANNOTATIONS,
            max(self._now, event.time_ns),
            message(
                topics.ANNOTATIONS.type,
                header=header(event.time_ns),
                **annotation_fields(event)._asdict(),
            ),
        )

    def _write_task(self, event: Event) -> None:
        fields = task_fields(event)._asdict()
        fields["after"] = list(fields["after"])
        content = message(topics.TASKS.type, stamp=stamp(event.time_ns), **fields)
        self._write(topics.TASKS, max(self._now, event.time_ns), content)

    def _note_failure(self, summary: RunSummary) -> None:
        error = summary.error or {}
        text = failure_row_words(error, with_model=False)
        self.note(self._now, "error", str(error.get("model", "run")), text)


def _copy(scene: Snapshot, step: int) -> _State:
    return _State(
        scene.time_ns,
        step,
        scene.values.copy(),
        scene.owners.copy(),
        scene.parents.copy(),
        scene.near if isinstance(scene.near, LateRows) else scene.near.copy(),
    )


def _next(due: int, period: int, now: int) -> int:
    """The first due time after `now` on the grid that starts at `due`."""
    return due + period * ((now - due) // period + 1) if now >= due else due


def _of_several(joints: Sequence[JointTemplate], start: RunStart) -> list[topics.Topic]:
    """The topics of robots that are below their names."""
    described = (
        topics.of_robot(topics.ROBOT_DESCRIPTION, name) for name in start.robot_descriptions
    )
    found = (*(one.topic for one in joints), *described)
    return [topic for topic in found if topic not in topics.LOGGED]
