"""A table, a shelf, the ground, a box and two hands, for the tests of the handling observer."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Floats, pose_value
from model_nodes.handling_observer import HandlingObserver
from model_nodes.handling_observer.model import CARRIED, HELD, ON

ENTITIES = (
    Entity("ground", EntityKind.STATIC),
    Entity("table", EntityKind.STATIC),
    Entity("shelf", EntityKind.STATIC),
    Entity("box", EntityKind.OBJECT, ("graspable",)),
    Entity("tray", EntityKind.OBJECT),
    Entity("robot", EntityKind.ROBOT, joints=("finger",)),
    Entity("wrist", EntityKind.LINK, owner="robot"),
    Entity("palm", EntityKind.LINK, owner="robot", parent="wrist"),
    Entity("finger", EntityKind.LINK, owner="robot", parent="palm", joint="finger"),
    Entity("fingertip", EntityKind.LINK, owner="robot", parent="finger"),
    Entity("back", EntityKind.LINK, owner="robot"),
    Entity("left", EntityKind.HAND, owner="robot", parent="wrist", joints=("finger",)),
    Entity("right", EntityKind.HAND, owner="robot", parent="back"),
)
HOLDING = AttributeSpec("holding")
HELD_OBJECT = AttributeSpec("held_object")
UP = (0.0, 0.0, 1.0)
NAMES = [entity.name for entity in ENTITIES]
BOX = NAMES.index("box")

Row = tuple[str, str, float, tuple[float, float, float]]
"""Object, other, distance, normal from the other to the object."""


class Watch:
    """An observer in the scene.

    Args:
        monitored: hands that a grasp monitor watches.
        rows: what is near at the start.
        parameters: of the observer.
    """

    def __init__(
        self,
        *,
        monitored: tuple[str, ...] = ("left",),
        rows: tuple[Row, ...] = (("box", "table", 0.0, UP),),
        parameters: dict[str, object] | None = None,
    ) -> None:
        attributes = [("box", POSE), ("left", POSE), ("right", POSE)]
        for hand in monitored:
            attributes += [(hand, HOLDING), (hand, HELD_OBJECT)]
        attributes += [("box", spec) for spec in (HELD, ON, CARRIED)]
        self.layout = Layout.build(ENTITIES, attributes)
        self.answers = {"held": -1.0, "on": -1.0, "carried": 0.0}
        self.observer = HandlingObserver()
        self.observer.contribute({"objects": ["box"], **(parameters or {})}, 0)
        self.monitored = monitored
        self.time = 0.0
        self.events: list[Event] = []
        self.observer.start(self.scene(rows, None, None, pose_value((0.0, 0.0, 0.0)).data))

    def scene(
        self, rows: tuple[Row, ...], grip: str | None, frame: str | None, pose: Floats
    ) -> Snapshot:
        """A snapshot now."""
        values = np.zeros(self.layout.size)
        values[self.layout.range_of("box", "pose")] = pose
        for name, answer in self.answers.items():
            values[self.layout.range_of("box", name)] = answer
        for hand in self.monitored:
            values[self.layout.range_of(hand, "holding")] = float(hand == grip)
            values[self.layout.range_of(hand, "held_object")] = BOX if hand == grip else -1.0
        parents = np.full(len(self.layout.slots), -1, np.int32)
        parents[0] = -1 if frame is None else NAMES.index(frame)
        near = [
            (NAMES.index(a), NAMES.index(b), gap, 0, 0, 0, *normal, 0, 0, 0)
            for a, b, gap, normal in rows
        ]
        owners = np.zeros(len(self.layout.slots), np.int32)
        proximity = np.array(near, np.float64).reshape(-1, 12)
        time_ns = round(self.time * 1e9)
        return Snapshot(
            self.layout, ("physics",), time_ns, values, owners, parents, proximity_tables(proximity)
        )

    def look(
        self,
        *rows: Row,
        seconds: float = 0.01,
        grip: str | None = None,
        frame: str | None = None,
        pose: Floats | None = None,
        events: tuple[Event, ...] = (),
    ) -> list[Event]:
        """Step the observer once, this much later, with what others have told since the last step."""
        self.time += seconds
        where = pose_value((0.0, 0.0, 0.0)).data if pose is None else pose
        scene = self.scene(rows, grip, frame, where)
        output = self.observer.step(Tick(scene.time_ns, 0, scene, events))
        for (_, name), value in output.values.items():
            assert self.answers[name] != value.data, "what has not changed is not written"
            self.answers[name] = float(value.data[0])
        self.events += output.events
        return output.events

    def stay(
        self,
        seconds: float,
        *rows: Row,
        grip: str | None = None,
        frame: str | None = None,
        pose: Floats | None = None,
    ) -> None:
        """Step for a while at 100 Hz with the same picture."""
        for _ in range(round(seconds * 100)):
            self.look(*rows, grip=grip, frame=frame, pose=pose)

    @property
    def told(self) -> list[str]:
        """Names of the events so far."""
        return [event.name for event in self.events]


def grip_lost(*, opened: bool | None, hand: str = "left") -> Event:
    """What a grasp monitor tells when a hand no longer holds the box; None: it does not say whether it opened."""
    said = {} if opened is None else {"opened": opened}
    return Event("grip_lost", 0, arguments={"hand": hand, "object": "box", **said})


def above(gap: float, support: str = "table") -> Row:
    """The box this far above a support."""
    return ("box", support, gap, UP)
