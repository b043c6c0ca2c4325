"""What is derived from states that are made up: supports, places, and bodies that never move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, Floats, Shape, ShapeKind
from hetwin_core.episodes.following.log_file import Place
from hetwin_core.episodes.following.states import States
from hetwin_core.episodes.tables.deriving.derivation import Derivation
from hetwin_core.episodes.tables.deriving.motion import static_contacts

S = 1_000_000_000
STEP_NS = 10_000_000
TOP = (0.0, 0.0, 1.0)
TABLE = Entity("table", EntityKind.STATIC, shapes=(Shape(ShapeKind.BOX, (1.0, 1.0, 0.5)),))
TRAY = Entity("tray", EntityKind.STATIC, shapes=(Shape(ShapeKind.BOX, (0.2, 0.3, 0.02)),))


def derived(*entities: Entity, touching: bool = True, **paths: Floats) -> Derivation:
    """Derive what follows from (n, 3) positions of entities, of which the first touches the second one from above."""
    layout = Layout.build(entities, [(name, POSE) for name in paths])
    count = len(next(iter(paths.values())))
    values = np.zeros((count, layout.size))
    for name, path in paths.items():
        at = layout.range_of(name, POSE.name).start
        values[:, at : at + 3] = path
        values[:, at + 3] = 1.0
        values[:, at + 7 : at + 10] = np.gradient(path, STEP_NS / S, axis=0)
    rows = np.array([[0, 1, 0.0, *values[i, :3], *TOP, 0, 0, 0] for i in range(count)])
    found = Derivation(layout)
    found.add_states(
        States(
            np.arange(count) * STEP_NS,
            values,
            np.zeros((count, len(layout.slots)), np.int32),
            np.full((count, len(layout.slots)), -1, np.int32),
            rows if touching else rows[:0],
            np.arange(count) if touching else np.empty(0, np.int64),
        ),
        Place(0, 0),
    )
    return found


def spans(found: Derivation, fluent: str) -> list[tuple[str, str, float, float | None]]:
    rows = (found.book.stretches[i] for i in found.book.of_fluent.get(fluent, ()))
    return [(r.a, r.b, r.from_ns / S, None if r.to_ns is None else r.to_ns / S) for r in rows]


def pushed() -> Floats:
    """Rests for a second, is pushed by 20 cm for a second, and rests again."""
    path = np.zeros((300, 3))
    path[:, 0] = np.interp(np.arange(300), [100, 200], [0.0, 0.2])
    return path


def test_what_is_pushed_along_is_borne_but_is_not_at_rest_on_it() -> None:
    found = derived(Entity("box", EntityKind.OBJECT), TABLE, box=pushed())
    assert spans(found, "borne_by") == [("box", "table", 0.0, None)]
    (_, _, begin, end), (_, _, again, last) = spans(found, "on")
    assert (begin, last) == (0.0, None)
    assert end is not None
    assert abs(end - 1.0) <= 0.02
    assert abs(again - 2.0) <= 0.03


def test_a_robot_with_a_pose_of_its_own_changes_its_place() -> None:
    cart = Entity("cart", EntityKind.ROBOT)
    found = derived(cart, TABLE, touching=False, cart=pushed())
    moved = [(e.name, e.arguments) for e in found.book.happenings]
    assert moved == [("loc_change", {"object": "cart"})]


def test_bodies_that_never_move_stand_where_their_shapes_say() -> None:
    bodies = (Entity("box", EntityKind.OBJECT), TABLE, TRAY, Entity("wall", EntityKind.STATIC))
    poses = {"tray": np.tile([0.1, 0.0, 0.26], (300, 1))}
    found = derived(*bodies, box=pushed(), **poses)
    assert ("tray", "table", 0.0, None) in spans(found, "on")
    assert ("table", "tray", 0.0, None) not in spans(found, "on")
    assert ("wall", "table") in found.unknown_contacts
    assert ("tray", "table") not in found.unknown_contacts


def test_bodies_whose_bounds_are_no_shapes_are_unclear_only_where_they_are_near() -> None:
    ball = Entity("ball", EntityKind.STATIC, shapes=(Shape(ShapeKind.SPHERE, (0.1,)),))
    assert of_bodies(ball, (0.0, 0.0, 0.35)) == ((), {("ball", "table"), ("table", "ball")})
    assert of_bodies(ball, (0.0, 0.0, 0.4)) == ((), set())
    assert of_bodies(TRAY, (0.55, 0.0, 0.26)) == ((("tray", "table"),), set())
    assert of_bodies(TRAY, (0.65, 0.0, 0.26)) == ((), set())


def of_bodies(
    body: Entity, at: Sequence[float]
) -> tuple[tuple[tuple[str, str], ...], set[tuple[str, str]]]:
    """What stands on what, and which contacts are unknown, of a body at a place and the table at the origin."""
    layout = Layout.build([TABLE, body], [(body.name, POSE)])
    values = np.array([*at, 1.0, *[0.0] * 9])
    found = static_contacts(layout, values)
    return found.on, set(found.unknown_contacts)
