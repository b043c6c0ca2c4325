"""A small run, made up: a robot of two links and a hand carries a box off a table and drops it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    ModelRecord,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.events import Event, EventKind, event_to_summary
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS, Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import (
    POSE,
    AttributeSpec,
    Floats,
    Meaning,
    Shape,
    ShapeKind,
    Value,
)
from hetwin_core.episodes.log_writer import RunLog

STEP_NS = 2_500_000
STEPS = 1200
TABLE_TOP = 0.4
HALF = 0.03
GRASP, LIFT, RELEASE, REST = 400, 480, 800, 880
"""Steps at which something happens."""

MODELS = ("physics", "in_hand", "handling")


def layout() -> Layout:
    """A robot, its links and hand, a box, a ball that stays where it is, and a table."""
    link_shape = Shape(
        ShapeKind.CAPSULE, (0.05, 0.3), (0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0), (0.8, 0.8, 0.85, 1.0)
    )
    tetrahedron = Shape(
        ShapeKind.MESH,
        vertices=np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], np.float64),
        faces=np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32),
    )
    entities = (
        Entity("arm", EntityKind.ROBOT, joints=("shoulder", "finger")),
        Entity("base", EntityKind.LINK, owner="arm", shapes=(tetrahedron,)),
        Entity("upper", EntityKind.LINK, owner="arm", parent="base", shapes=(link_shape,)),
        Entity("gripper", EntityKind.HAND, owner="arm", parent="upper", joints=("finger",)),
        Entity(
            "box",
            EntityKind.OBJECT,
            ("graspable",),
            mass=0.8,
            shapes=(Shape(ShapeKind.BOX, (2 * HALF, 2 * HALF, 2 * HALF), rgba=(0.9, 0.5, 0.2, 1)),),
        ),
        Entity("ball", EntityKind.OBJECT, shapes=(Shape(ShapeKind.SPHERE, (0.04,)),)),
        Entity(
            "table",
            EntityKind.STATIC,
            shapes=(Shape(ShapeKind.BOX, (0.8, 0.8, TABLE_TOP), rgba=(0.6, 0.45, 0.3, 1)),),
        ),
    )
    held = AttributeSpec("held", 1, "", Meaning.TRUTH)
    holder = AttributeSpec("held_by", 1, "", Meaning.ENTITY)
    posed = ("base", "upper", "gripper", "box", "ball", "table")
    attributes = [(name, POSE) for name in posed]
    attributes += [
        ("arm", AttributeSpec("joint_positions", 2, "rad")),
        ("arm", AttributeSpec("joint_efforts", 2, "N m")),
        ("box", held),
        ("box", holder),
    ]
    return Layout.build(entities, attributes)


def records() -> tuple[ModelRecord, ...]:
    """Three models, physics first."""
    return tuple(
        ModelRecord(
            id=f"id-{name}",
            name=name,
            type=f"type_{name}",
            stepping="service",
            coupling="after",
            rate=400.0,
            main=name == "physics",
            host="here",
            pid=100 + i,
        )
        for i, name in enumerate(MODELS)
    )


@dataclass
class SmallRun:
    """Plays the run to a log and keeps what it said, to compare with.

    Args:
        out: folder of the run.
        steps: where to end; a run that is cut short can be ended as a failure.
    """

    out: Path
    steps: int = STEPS
    layout: Layout = field(default_factory=layout)
    written: dict[int, Floats] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    handovers: list[Handover] = field(default_factory=list)

    def values(self, step: int) -> Floats:
        """(layout.size,) the scene after a step; the numbers use the whole mantissa."""
        values = np.zeros(self.layout.size)
        lift = np.clip((step - LIFT) / 200.0, 0.0, 1.0) * 0.3 / 1.0000001
        height = TABLE_TOP + HALF + lift
        if step >= RELEASE:
            height = max(TABLE_TOP + HALF, height - 4.9 * ((step - RELEASE) / 400.0) ** 2)
        x = 0.1 * np.sin(step / 300.0)
        hand = TABLE_TOP + HALF + lift
        for name, position in {
            "base": (-0.35, 0.0, TABLE_TOP),
            "upper": (-0.35 + x, 0.0, TABLE_TOP + 0.1 + lift / 2),
            "gripper": (x, 0.0, hand),
            "box": (x, 0.0, height),
            "ball": (0.2, 0.25, TABLE_TOP + 0.04),
            "table": (0.0, 0.0, TABLE_TOP / 2),
        }.items():
            where = self.layout.range_of(name, "pose")
            values[where.start : where.start + 7] = [*position, 1.0, 0.0, 0.0, 0.0]
        values[self.layout.range_of("arm", "joint_positions")] = [step / 7e3, np.cos(step)]
        values[self.layout.range_of("arm", "joint_efforts")] = [1.0 / 3.0, -step]
        held = GRASP <= step < RELEASE
        values[self.layout.range_of("box", "held")] = held
        values[self.layout.range_of("box", "held_by")] = 3.0 if held else -1.0
        return values

    def snapshot(self, step: int) -> Snapshot:
        """The scene as the conductor shows it; the number of rows of proximity changes."""
        layout = self.layout
        owners = np.zeros(len(layout.slots), np.int32)
        parents = np.full(len(layout.slots), -1, np.int32)
        owners[layout.slot_id("box", "held") :] = 2
        if GRASP <= step < RELEASE:
            owners[layout.slot_id("box", "pose")] = 1
            parents[layout.slot_id("box", "pose")] = layout.entity_id("gripper")
        proximity = np.full((1 + step % 3, PROXIMITY_COLUMNS), step / 3.0)
        return Snapshot(
            layout,
            MODELS,
            step * STEP_NS,
            self.values(step),
            owners,
            parents,
            proximity_tables(proximity),
        )

    def start(self) -> RunStart:
        """What is known when the run begins."""
        return RunStart(
            scenario="small <run> & co",
            scenario_file="small.yaml",
            source="made up",
            seed=7,
            rate=400.0,
            duration_ns=STEPS * STEP_NS,
            layout=self.layout,
            models=records(),
            robot_descriptions={"": "<robot name='arm'/>"},
            warnings=("physics: mesh <a.stl> is absent",),
            snapshot=self.snapshot(0),
            given={"seed": 7, "engine": "none"},
        )

    def happenings(self, log: RunLog, step: int) -> None:
        """Tell the log about events and handovers of a step."""
        now = step * STEP_NS
        who = {"object": "box", "hand": "gripper"}
        model = EventKind.MODEL
        if step == GRASP - 20:
            self._event(log, Event("move_hand", now, EventKind.ACTION, "program", 0, _begin(who)))
        if step == GRASP:
            self._event(log, Event("grasped", now - STEP_NS, model, "handling", 0, who))
            self._handover(log, step, "physics", "in_hand")
        if step == LIFT:
            support = {**who, "support": "table"}
            self._event(log, Event("picked_up", now, model, "handling", 1, support))
            ended = {**who, "phase": "end"}
            self._event(log, Event("move_hand", now, EventKind.ACTION, "program", 1, ended))
        if step == RELEASE:
            self._event(log, Event("released", now, model, "handling", 2, who))
            self._handover(log, step, "in_hand", "physics")
        if step == REST:
            support = {"object": "box", "support": "table"}
            self._event(log, Event("put_down", now, model, "handling", 3, support))

    def play(self, log: RunLog) -> None:
        """Start and step, without an end."""
        start = self.start()
        log.started(start)
        for warning in start.warnings:
            log.note(0, "warning", "physics", warning)
        self.written[0] = self.values(0)
        for step in range(1, self.steps + 1):
            self.happenings(log, step)
            scene = self.snapshot(step)
            self.written[scene.time_ns] = scene.values.copy()
            log.stepped(step, scene)
            # The conductor reuses its arrays: a log that kept them would see this.
            scene.values[:] = np.nan

    def record(self, error: dict[str, object] | None = None) -> Path:
        """The whole run; answers its folder."""
        with RunLog(self.out) as log:
            self.play(log)
            log.note(self.steps * STEP_NS, "warning", "in_hand", "7 steps were late")
            log.ended(self.summary(error))
        return self.out

    def summary(self, error: dict[str, object] | None = None) -> RunSummary:
        """How it went."""
        return RunSummary(
            scenario="small <run> & co",
            ended="failed" if error else "recording",
            error=error,  # type: ignore[arg-type]
            simulated_time=self.steps * STEP_NS / 1e9,
            wall_time=0.25,
            real_time_factor=12.0,
            digest="ab" * 32,
            deterministic=True,
            transport="local",
            processes=({"model": "physics", "pid": 100},),
            events=tuple(event_to_summary(event) for event in self.events),
            handovers=tuple(
                {
                    "time": h.time_ns / 1e9,
                    "entity": h.entity,
                    "attribute": h.attribute,
                    "from": h.from_model,
                    "to": h.to_model,
                    "cause": h.cause,
                }
                for h in self.handovers
            ),
            state={"held(box)": False, "infinite": float("inf")},
            counters={"dropped": 0},
            warnings=("physics: mesh <a.stl> is absent",),
        )

    def _event(self, log: RunLog, event: Event) -> None:
        self.events.append(event)
        log.event(event)

    def _handover(self, log: RunLog, step: int, old: str, new: str) -> None:
        data = self.values(step)[self.layout.range_of("box", "pose")]
        value = Value(data, step * STEP_NS)
        handover = Handover(step * STEP_NS, "box", "pose", old, new, "trigger grasp", value)
        self.handovers.append(handover)
        log.handover(handover)


def _begin(arguments: dict[str, str]) -> dict[str, str]:
    return {"phase": "begin", **arguments}
