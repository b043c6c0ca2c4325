"""Stories of one object for tests of what watches objects: where it is, how fast, and what it is near to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from hetwin_core.ensemble.annotations import GOAL_ID, TREE_NODE
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.tables import CLEARANCES, TOUCHES, no_rows
from hetwin_core.ensemble.scene.values import Floats, pose_value
from hetwin_core.ensemble.scene.watch import Watch
from model_nodes.robot_health.objects import ObjectStory
from model_nodes.robot_health.settings import Settings
from model_nodes.robot_health.touched import LinkPairs, LinkTouches, TouchReports
from model_nodes.robot_health.view import View
from support.scene_of import near_row, scene_of
from support.watched_toy import LAYOUT

STEP_S = 0.02
_LOST = {"object": "thing", "hand": "hand", "support": None}
BOX = (Shape(ShapeKind.BOX, (0.1, 0.1, 0.1)),)
PLANE = (Shape(ShapeKind.PLANE, (6.0, 6.0)),)
TABLE = (Shape(ShapeKind.BOX, (1.0, 1.0, 0.5)),)


@dataclass
class Moment:
    """What is there at one time.

    Attributes:
        object: pose and twist of the thing.
        link: pose and twist of the robot's link.
        near: names of what the thing touches.
        held: whether the hand holds it.
        acting: whether an annotated action goes on.
        driven: whether a goal of a controller and a node of a behaviour tree go on.
        lost: whether an observer of hands tells now that the hand has lost it.
        touched: how deep the link has been inside the thing since the moment before [m]; None: it has not touched it.
    """

    object: Floats
    link: Floats = field(default_factory=lambda: still((2.0, 0.0, 1.0)))
    near: tuple[str, ...] = ()
    held: bool = False
    acting: bool = False
    driven: bool = False
    lost: bool = False
    touched: float | None = None


def still(
    position: tuple[float, float, float],
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0),
) -> Floats:
    """A pose at rest."""
    return pose_value(position, quaternion).data


def moving(
    position: tuple[float, float, float],
    linear: tuple[float, float, float],
    angular: tuple[float, float, float] = (0.0, 0.0, 0.0),
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0),
) -> Floats:
    """A pose with a twist."""
    return pose_value(position, quaternion, linear, angular).data


def tell(
    story: Callable[[float], Moment],
    seconds: float,
    *,
    shapes: tuple[Shape, ...] = BOX,
    ground: bool = True,
    hand: bool = False,
) -> list[Event]:
    """The events that a story raises.

    Args:
        story: the moment at a time [s].
        seconds: how long it is.
        shapes: of the thing.
        ground: whether there is a floor at 0 under the table, whose top is at 0.25 m.
        hand: whether the robot's link belongs to a hand.
    """
    entities = list(_entities(shapes, ground, hand))
    observer: ObjectStory | None = None
    events: list[Event] = []
    for step in range(round(seconds / STEP_S) + 1):
        moment = story(step * STEP_S)
        time_ns = round(step * STEP_S * 1e9)
        scene = _scene(entities, moment, time_ns)
        if observer is None:
            links = _links(scene)
            touched = TouchReports(links, scene.layout)
            observer = ObjectStory(Settings(), scene, touched.open)
        view = View(
            time_ns,
            scene,
            watch=_report(scene, moment),
            held={"thing": "hand"} if moment.held else {},
            events=(Event("lost", time_ns, arguments=_LOST),) if moment.lost else (),
            actions=_actions(moment),
        )
        touched.watch(view)
        events += observer.watch(view)
    return events


def _actions(moment: Moment) -> dict[str, Event]:
    goal = {"action": "/arm/follow", GOAL_ID: "01010101"}
    found = {"work": Event("work", 0, EventKind.ACTION)} if moment.acting else {}
    if moment.driven:
        found["follow"] = Event("follow", 0, EventKind.ACTION, arguments=goal)
        found["Root"] = Event("Root", 0, EventKind.ACTION, arguments={TREE_NODE: "Root 1"})
    return found


def _links(scene: Snapshot) -> LinkTouches:
    settings, pairs = Settings(), LinkPairs(Settings(), scene.layout)
    return LinkTouches(settings.link_touches, pairs, LAYOUT, scene.layout)


def _report(scene: Snapshot, moment: Moment) -> Watch:
    """What the main model reports, in which the link touches in the middle between two moments."""
    rows = no_rows(TOUCHES)
    if moment.touched is not None:
        ids = [scene.layout.entity_id(name) for name in ("link", "thing")]
        then = scene.time_ns - STEP_S * 0.5e9
        rows = np.array([[*ids, then, then, moment.touched, np.nan, *moment.object[:3]]])
    unknown = np.full(2, np.nan)
    return Watch(scene.time_ns, *[unknown] * 4, no_rows(CLEARANCES), touches=rows)


def _entities(shapes: tuple[Shape, ...], ground: bool, hand: bool) -> Iterable[Entity]:
    yield Entity("thing", EntityKind.OBJECT, mass=0.5, shapes=shapes)
    yield Entity("table", EntityKind.STATIC, shapes=TABLE)
    yield Entity("link", EntityKind.LINK, owner="robot", shapes=BOX)
    if hand:
        yield Entity("hand", EntityKind.HAND, owner="robot", parent="link")
    if ground:
        yield Entity("ground", EntityKind.STATIC, shapes=PLANE)


def _scene(entities: list[Entity], moment: Moment, time_ns: int) -> Snapshot:
    poses = {"thing": moment.object, "table": still((0, 0, 0)), "link": moment.link}
    poses |= {e.name: still((0, 0, 0)) for e in entities if e.name in ("hand", "ground")}
    scene = scene_of(entities, poses, time_ns=time_ns)
    rows = [near_row(scene, "thing", name, 0.0) for name in moment.near]
    for row in rows:
        row[3:6] = moment.object[:3]
    near = np.array(rows).reshape(-1, 12)
    return scene_of(entities, poses, time_ns=time_ns, near=near)
