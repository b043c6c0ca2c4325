"""A made-up run in which a hand carries a box from a table to a tray, with rows of proximity, in plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.conductor.reporting.listener import RunStart
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS, Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Floats, Meaning
from hetwin_core.episodes.log_writer import RunLog
from support.small_run import MODELS, records

STEP_NS = 10_000_000
CLOSE, LIFT, LOWERED, OPEN, GONE, END = 1.0, 1.5, 3.0, 3.5, 4.0, 6.0
"""When the fingers close, the box is lifted, stands on the tray, the fingers open, and are away [s]; and the end."""
HEIGHT, WAY = 0.2, 0.5
"""How high and how far the box is carried [m]."""


def layout() -> Layout:
    """A hand of one link, a box, a table and a tray."""
    entities = (
        Entity("arm", EntityKind.ROBOT, joints=("joint",)),
        Entity("base", EntityKind.LINK, owner="arm"),
        Entity("finger", EntityKind.LINK, owner="arm", parent="base", joint="joint"),
        Entity("gripper", EntityKind.HAND, owner="arm", parent="finger", joints=("joint",)),
        Entity("box", EntityKind.OBJECT),
        Entity("table", EntityKind.STATIC),
        Entity("tray", EntityKind.STATIC),
    )
    held = AttributeSpec("held", 1, "", Meaning.ENTITY)
    posed = [(name, POSE) for name in ("base", "finger", "gripper", "box", "table", "tray")]
    return Layout.build(entities, [*posed, ("box", held)])


@dataclass
class TouchingRun:
    """Writes the log of the run.

    Attributes:
        out: folder of the run.
        end_s: where it ends.
        falls_s: when the box falls off the tray.
        said: events and beliefs, by the step before which they come.
    """

    out: Path
    end_s: float = END
    falls_s: float | None = None
    said: dict[int, list[Event]] = field(default_factory=dict)
    layout: Layout = field(default_factory=layout)

    def say(self, *events: Event) -> None:
        """Let events or beliefs reach the log at their times."""
        for event in events:
            self.said.setdefault(max(1, event.time_ns // STEP_NS), []).append(event)

    def write(
        self, log: RunLog | None = None, *, after: Callable[[int], None] = lambda _: None
    ) -> Path:
        """Write the log; returns the run's folder.

        Args:
            log: to write it with, which is not finished then.
            after: called after each step.
        """
        own = log is None
        log = log or RunLog(self.out)
        log.started(self._start())
        for step in range(1, round(self.end_s * 1e9) // STEP_NS + 1):
            for event in self.said.get(step, ()):
                (log.belief if event.kind.value == "belief" else log.event)(event)
            log.stepped(step, self.scene(step))
            after(step)
        if own:
            log.close()
        return self.out

    def scene(self, step: int) -> Snapshot:
        """Return the scene after a step."""
        now = step * STEP_NS / 1e9
        layout, values = self.layout, np.zeros(self.layout.size)
        box, velocity = self._box(now)
        finger = box if CLOSE <= now < OPEN else box + np.array((0.0, 0.0, 0.3))
        for name, position, speed in (
            ("base", np.zeros(3), np.zeros(3)),
            ("finger", finger, velocity),
            ("gripper", finger, velocity),
            ("box", box, velocity),
            ("table", np.zeros(3), np.zeros(3)),
            ("tray", np.array((WAY, 0.0, 0.0)), np.zeros(3)),
        ):
            where = layout.range_of(name, "pose")
            values[where] = [*position, 1.0, 0.0, 0.0, 0.0, *speed, 0.0, 0.0, 0.0]
        held = CLOSE + 0.05 <= now < OPEN + 0.05
        values[layout.range_of("box", "held")] = layout.entity_id("gripper") if held else -1.0
        slots = len(layout.slots)
        owners, parents = np.zeros(slots, np.int32), np.full(slots, -1, np.int32)
        rows = np.array(list(self._rows(now)), np.float64).reshape(-1, PROXIMITY_COLUMNS)
        return Snapshot(
            layout, MODELS, step * STEP_NS, values, owners, parents, proximity_tables(rows)
        )

    def _box(self, now: float) -> tuple[Floats, Floats]:
        share, rate = _smooth((now - LIFT) / (LOWERED - LIFT))
        rate /= LOWERED - LIFT
        x, z = WAY * share, HEIGHT * np.sin(np.pi * share)
        speed = np.array((WAY * rate, 0.0, HEIGHT * np.pi * np.cos(np.pi * share) * rate))
        if self.falls_s is not None and now >= self.falls_s:
            fallen = now - self.falls_s
            return np.array((x, 0.0, -4.9 * fallen**2)), np.array((0.0, 0.0, -9.8 * fallen))
        return np.array((x, 0.0, z)), speed

    def _rows(self, now: float) -> Iterator[Sequence[float]]:
        number = self.layout.entity_id
        x, _, z = self._box(now)[0].tolist()
        for name, place in (("table", 0.0), ("tray", WAY)):
            if abs(x - place) < 0.2 and abs(z) < 0.02:
                distance = z
                yield (number("box"), number(name), distance, x, 0, z, 0, 0, 1, 0, 0, 0)
        if CLOSE <= now < OPEN:
            yield (number("box"), number("finger"), -1e-4, x, 0.02, z, 0, 1, 0, 0, 0, 0)

    def _start(self) -> RunStart:
        return RunStart(
            scenario="touching",
            scenario_file="touching.yaml",
            source="made up",
            seed=1,
            rate=100.0,
            duration_ns=None,
            layout=self.layout,
            models=records(),
            robot_descriptions={},
            warnings=(),
            snapshot=self.scene(0),
        )


def _smooth(share: float) -> tuple[float, float]:
    """A motion from 0 to 1, and its rate."""
    if not 0.0 < share < 1.0:
        return float(share >= 1.0), 0.0
    return share * share * (3 - 2 * share), 6 * share * (1 - share)
