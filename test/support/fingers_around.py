"""Grippers around a box, for the tests of the grasp monitor.

The parallel gripper closes along y, on a box in the middle: each finger's face is as far from the
middle as its joint is from closed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import AttributeSpec, Floats
from model_nodes.grasp_monitor import GraspMonitor
from model_nodes.grasp_monitor.model import HELD_OBJECT, HOLDING

OPEN = 0.04
"""Of each finger of the parallel gripper, in m; closed on nothing it is 0."""
BOX, BALL = 1, 2

Row = tuple[int, str, float, tuple[float, float, float]]
"""Object, link, distance, normal from the link to the object."""


@dataclass
class Gripper:
    """A hand in a scene, and the monitor that watches it."""

    joints: tuple[str, ...]
    links: dict[str, str]
    """Finger links and their parents."""
    opened: list[float]
    closed: list[float]
    parameters: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.entities = (
            Entity("robot", EntityKind.ROBOT, joints=("arm", *self.joints)),
            Entity("box", EntityKind.OBJECT),
            Entity("ball", EntityKind.OBJECT),
            Entity("palm", EntityKind.LINK, owner="robot"),
            *(
                Entity(link, EntityKind.LINK, owner="robot", parent=parent)
                for link, parent in self.links.items()
            ),
            Entity("hand", EntityKind.HAND, owner="robot", parent="palm", joints=self.joints),
        )
        count = len(self.joints) + 1
        self.layout = Layout.build(
            self.entities,
            [
                ("robot", AttributeSpec("joint_positions", count)),
                ("robot", AttributeSpec("joint_efforts", count)),
                ("hand", HOLDING),
                ("hand", HELD_OBJECT),
            ],
        )
        self.holding = False
        self.held = -1
        self.monitor = GraspMonitor()
        self.monitor.contribute({"hand": self.description(), **self.parameters}, 0)
        self.monitor.start(self.scene(0.0, self.opened, ()))
        self.events: list[Event] = []

    def description(self) -> dict[str, object]:
        """As the conductor resolves a hand."""
        return {
            "name": "hand",
            "robot": "robot",
            "link": "palm",
            "joints": list(self.joints),
            "finger_links": list(self.links),
            "opened": self.opened,
            "closed": self.closed,
        }

    def scene(
        self, seconds: float, positions: Iterable[float], rows: Iterable[Row], effort: float = 0.1
    ) -> Snapshot:
        """A snapshot with these finger positions and distances."""
        efforts = [0.0] + [effort] * len(self.joints)
        values = np.array([0.0, *positions, *efforts, self.holding, self.held])
        slots = len(self.layout.slots)
        return Snapshot(
            self.layout,
            ("physics",),
            round(seconds * 1e9),
            values,
            np.zeros(slots, np.int32),
            np.full(slots, -1, np.int32),
            proximity_tables(self.proximity(rows)),
        )

    def proximity(self, rows: Iterable[Row]) -> Floats:
        """The main model's table."""
        table = [
            (what, self.layout.entity_id(link), gap, 0, 0, 0, *normal, 0, 0, 0)
            for what, link, gap, normal in rows
        ]
        return np.array(table, np.float64).reshape(-1, 12)

    def look(self, snapshot: Snapshot, heard: tuple[Event, ...] = ()) -> list[Event]:
        """Step the monitor."""
        output = self.monitor.step(Tick(snapshot.time_ns, 0, snapshot, heard))
        if output.values:
            self.holding = bool(output.values["hand", "holding"].data[0])
            held, self.held = self.held, int(output.values["hand", "held_object"].data[0])
            assert held != self.held, "what has not changed is not written"
        self.events += output.events
        return output.events


class Parallel(Gripper):
    """Two fingers, each with a tip that is fixed to it."""

    def __init__(self, **parameters: float) -> None:
        links = {"left": "palm", "left_tip": "left", "right": "palm", "right_tip": "right"}
        super().__init__(("l", "r"), links, [OPEN, -OPEN], [0.0, 0.0], parameters)

    def at(
        self,
        seconds: float,
        opening: float,
        half_width: float | None,
        heard: tuple[Event, ...] = (),
        effort: float = 0.1,
    ) -> list[Event]:
        """Step with both fingers this far from closed, around a box (None: no box there)."""
        rows: list[Row] = []
        if half_width is not None:
            gap = opening - half_width
            rows = [
                (BOX, "left_tip", gap, (0.0, -1.0, 0.0)),
                (BOX, "left", gap + 0.006, (0.0, -1.0, 0.0)),
                (BOX, "right_tip", gap, (0.0, 1.0, 0.0)),
            ]
            rows = [row for row in rows if row[2] < 0.05]
        return self.look(self.scene(seconds, (opening, -opening), rows, effort), heard)
