"""Contacts of the robot that the scene knows of."""

from __future__ import annotations

import numpy as np
from support.scene_of import near_row, scene_of

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.tables import CLEARANCES, PROXIMITY, no_rows
from hetwin_core.ensemble.scene.values import pose_value
from hetwin_core.ensemble.scene.watch import Watch
from model_nodes.robot_health.unexpected_effort import KnownTouches

ENTITIES = (
    Entity("finger", EntityKind.LINK),
    Entity("palm", EntityKind.LINK),
    Entity("hand", EntityKind.HAND, parent="palm"),
    Entity("box", EntityKind.OBJECT),
    Entity("table", EntityKind.STATIC),
)
SCENE = scene_of(ENTITIES, {"box": pose_value((0, 0, 0)).data})
MS = 1_000_000


def report() -> Watch:
    """Without anything near to the robot but objects."""
    none = np.empty(0)
    return Watch(0, none, none, none, none, no_rows(CLEARANCES))


def touches(
    *spans_ms: tuple[int, int], other: str = "finger", until_ms: int = 4000
) -> KnownTouches:
    """After looking every 20 ms, with the box touched within the spans."""
    known = KnownTouches(SCENE.layout)
    row = near_row(SCENE, "box", other, 0.0005)[None]
    for time_ms in range(0, until_ms, 20):
        touching = any(begin <= time_ms < end for begin, end in spans_ms)
        known.update(time_ms * MS, row if touching else no_rows(PROXIMITY), report())
    return known


def test_begin_and_end_are_changes_and_what_is_between_is_none() -> None:
    known = touches((1000, 2000))
    assert known.changed(900 * MS, 1100 * MS, grips=True)
    assert known.changed(1900 * MS, 2100 * MS, grips=True)
    assert not known.changed(1200 * MS, 1800 * MS, grips=True)


def test_an_end_is_a_change_at_once() -> None:
    assert touches((1000, 2000), until_ms=2100).changed(1900 * MS, 2100 * MS, grips=True)


def test_chatter_is_one_contact() -> None:
    known = touches(*((begin, begin + 40) for begin in range(1000, 2000, 100)))
    assert not known.changed(1100 * MS, 1900 * MS, grips=True)


def test_what_objects_do_to_each_other_does_not_count() -> None:
    assert not touches((1000, 2000), other="table").changed(0, 4000 * MS, grips=True)


def test_what_is_near_but_does_not_touch_does_not_count() -> None:
    known = KnownTouches(SCENE.layout)
    known.update(0, near_row(SCENE, "box", "finger", 0.01)[None], report())
    assert not known.changed(0, MS, grips=True)


def test_grips_count_only_where_they_are_asked_for() -> None:
    known = touches((1000, 2000), other="palm")
    assert known.changed(0, 3000 * MS, grips=True)
    assert not known.changed(0, 3000 * MS, grips=False)
    assert touches((1000, 2000)).changed(0, 3000 * MS, grips=False)
