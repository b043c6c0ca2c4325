"""Encodes the messages of a run: topic, time and CDR, for writing, publishing or display."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.beliefs import belief_fields
from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord, RunStart
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import Floats, Ints
from hetwin_core.ensemble.topics import Encoded
from hetwin_core.episodes import run_messages
from hetwin_core.episodes.frame_messages import FrameMessages
from hetwin_core.episodes.markers import ParticleMessages, shape_markers, shown_entities
from hetwin_core.episodes.periodic_messages import (
    BeliefMessages,
    ContactMessages,
    ScanMessage,
    SceneMessage,
    StateMessages,
    joint_messages,
    odometry_messages,
    scan_messages,
)
from hetwin_core.episodes.run_messages import encoded_message

Owners = dict[tuple[str, str], str]
"""The responsible model of each entity and attribute."""


class RunEncoder:
    """Encodes the states of a run's scene; events are encoded by `run_messages`.

    Args:
        layout: layout of the scene.
        models: the models in the order of the owners' indices.
        localized: whether frames include the origin of a mobile robot's odometry.

    Attributes:
        owners: owners of all attributes, set by `robot_topics`.
        topics: the topics that depend on the robots in the scene.
        has_odometry: whether there is a mobile robot.
        has_scans: whether there is a laser scanner.
    """

    def __init__(
        self, layout: Layout, models: Sequence[ModelRecord], *, localized: bool = True
    ) -> None:
        self.owners: Owners = {}
        self._layout, self._models = layout, [model.name for model in models]
        self._states = StateMessages(layout)
        joints, bases = joint_messages(layout), odometry_messages(layout)
        self._robots = [*joints, *bases]
        self._scans = scan_messages(layout)
        self._frames = FrameMessages(layout, localized=localized)
        self._fixed = FrameMessages(layout, (EntityKind.STATIC,))
        self._particles = ParticleMessages(layout)
        self._contacts = ContactMessages()
        self._beliefs = BeliefMessages()
        self.has_odometry, self.has_scans = bool(bases), bool(self._scans)
        robot_topics: list[SceneMessage | ScanMessage] = [*bases, *self._scans, *joints]
        self.topics = [part.topic for part in robot_topics]

    def start(self, start: RunStart, run: str = "") -> Iterator[Encoded]:
        """The registry and the robots' descriptions, at the time of the first snapshot.

        Args:
            start: facts about the run.
            run: token that identifies the run.
        """
        now = start.snapshot.time_ns
        yield run_messages.registry(
            now,
            start.scenario,
            start.models,
            start.layout,
            source=start.source,
            duration_ns=start.duration_ns,
            able=start.able,
            run=run,
        )
        yield from run_messages.descriptions(now, start.robot_descriptions)

    def set_owners(self, owners: Ints) -> None:
        """Set all owners, by the index of their models."""
        for slot, owner in zip(self._layout.slots, owners.tolist(), strict=True):
            self.owners[slot.entity, slot.attribute.name] = self._models[owner]

    def responsibilities(self, time_ns: int) -> Encoded:
        """The table of all owners."""
        return run_messages.responsibilities(time_ns, self.owners)

    def state(
        self, time_ns: int, step: int, values: Floats, owners: Ints, parents: Ints, near: Floats
    ) -> Encoded:
        """All values, owners and proximity pairs."""
        data = self._states.fill(time_ns, step, values, owners, parents, near)
        return Encoded(topics.STATE, time_ns, data)

    def robots(self, time_ns: int, values: Floats) -> list[Encoded]:
        """The joints of each robot, and the odometry of each mobile robot."""
        found = []
        for part in self._robots:
            message = part.fill(time_ns, values)
            found.append(Encoded(part.topic, time_ns, message))
        return found

    def scans(self, time_ns: int, values: Floats) -> Iterator[Encoded]:
        """The scans that are new at a time."""
        for scan in self._scans:
            if scan.due(time_ns):
                yield Encoded(scan.topic, time_ns, scan.fill(time_ns, values))

    def frames(self, time_ns: int, values: Floats, *, if_moved: bool = False) -> Iterator[Encoded]:
        """The frames that may move, all in one message; nothing if `if_moved` and none has moved."""
        frames = self._frames
        if not frames.empty and not (if_moved and not frames.changed(values)):
            yield Encoded(topics.TRANSFORMS, time_ns, frames.fill(time_ns, values))

    def fixed_frames(self, time_ns: int, values: Floats) -> Iterator[Encoded]:
        """The frames of static bodies."""
        if not self._fixed.empty:
            yield Encoded(topics.STATIC_TRANSFORMS, time_ns, self._fixed.fill(time_ns, values))

    def shapes(
        self,
        time_ns: int,
        names: frozenset[str] | None = None,
        colours: Mapping[str, Sequence[float]] | None = None,
    ) -> Iterator[Encoded]:
        """Shapes in the frames of their entities.

        Args:
            time_ns: simulated time.
            names: names of the entities; None: all.
            colours: see `shape_markers`.
        """
        shown = [e for e in shown_entities(self._layout) if names is None or e.name in names]
        if shown:
            yield encoded_message(topics.MARKERS, time_ns, shape_markers(shown, time_ns, colours))

    def particles(
        self, time_ns: int, values: Floats, *, if_moved: bool = False
    ) -> Iterator[Encoded]:
        """All particles; nothing if `if_moved` and none has moved."""
        particles = self._particles
        if not particles.empty and not (if_moved and not particles.changed(values)):
            yield Encoded(topics.PARTICLES, time_ns, particles.fill(time_ns, values))

    def contacts(self, time_ns: int, near: Floats, *, always: bool = False) -> Iterator[Encoded]:
        """Forces on objects; see `ContactMessages.fill`."""
        data = self._contacts.fill(time_ns, near, always=always)
        if data is not None:
            yield Encoded(topics.CONTACTS, time_ns, data)

    def belief(self, event: Event) -> Encoded:
        """The robot's new beliefs."""
        data = self._beliefs.fill(event.time_ns, belief_fields(event))
        return Encoded(topics.BELIEFS, event.time_ns, data)
