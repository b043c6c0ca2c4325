"""Poses in frames that hang on other frames are resolved from the world on, in whatever order they came."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.poses import compose
from hetwin_core.ensemble.scene.scene import ResponsibilityTable, Scene
from hetwin_core.ensemble.scene.values import POSE, WORLD, pose_value

NAMES = ("hand", "tray", "cup", "lid")
HANGS_ON = {"tray": "hand", "cup": "tray", "lid": "cup"}


def made() -> Scene:
    layout = Layout.build([Entity(n, EntityKind.OBJECT) for n in NAMES], [(n, POSE) for n in NAMES])
    table = ResponsibilityTable(layout, ("main", "a"), np.array([0, 1, 1, 1], np.int32))
    return Scene(layout, table, 0, range(4))


@pytest.mark.parametrize("order", list(permutations(HANGS_ON)))
def test_a_chain(order: tuple[str, ...]) -> None:
    scene = made()
    turned = (np.cos(0.3), 0.0, 0.0, np.sin(0.3))
    for name in order:
        value = pose_value((0.1, 0.0, 0.0), turned, parent=HANGS_ON[name])
        scene.put(scene.layout.slot_id(name, "pose"), value)
    for x in (1.0, 2.0):
        hand = pose_value((x, 0.0, 0.0), turned, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)).data
        scene.put_block(slice(0, 13), hand)
        scene.resolve(0)
        expected = hand
        for name in HANGS_ON:
            expected = compose(expected, pose_value((0.1, 0.0, 0.0), turned).data)
            assert scene.snapshot().pose(name).tobytes() == expected.tobytes()


def test_the_frames_of_an_entity() -> None:
    scene = made()
    for name, parent in HANGS_ON.items():
        value = pose_value((0.0, 0.0, 0.0), parent=parent)
        scene.put(scene.layout.slot_id(name, "pose"), value)
    assert scene.frames_from("lid") == ["lid", "cup", "tray", "hand"]
    assert scene.frames_from("hand") == ["hand"]
    assert scene.frames_from("nothing") == ["nothing"]


def test_a_view_follows_and_a_kept_snapshot_stays() -> None:
    scene = made()
    hand, cup = (scene.layout.slot_id(name, "pose") for name in ("hand", "cup"))
    view, kept, value = scene.snapshot(), scene.kept_snapshot(), scene.value(hand)
    scene.put_block(slice(0, 13), pose_value((1.0, 2.0, 3.0)).data)
    scene.table.move(hand, 1)
    scene.put(cup, pose_value((0.0, 0.0, 0.0), parent="hand"))
    assert (view.pose("hand")[2], view.owner("hand", "pose"), view.parent("cup")) == (
        3.0,
        "a",
        "hand",
    )
    assert (kept.pose("hand")[2], kept.owner("hand", "pose"), kept.parent("cup")) == (
        0.0,
        "main",
        WORLD,
    )
    assert value.data[2] == 0.0


def test_an_owner_out_of_range_is_no_table() -> None:
    layout = Layout.build([Entity("x", EntityKind.OBJECT)], [("x", POSE)])
    for owners in ([-1], [2], [0, 0]):
        with pytest.raises(ValueError, match="owner"):
            ResponsibilityTable(layout, ("a", "b"), np.array(owners, np.int32))
    table = ResponsibilityTable(layout, ("a", "b"), np.array([0], np.int32))
    with pytest.raises(ValueError, match="no model 2"):
        table.move(0, 2)
    with pytest.raises(ValueError, match="read-only"):
        table.owners[0] = 1


def test_the_main_model_hears_of_what_others_have_until_it_has_it_itself() -> None:
    scene = made()
    cup = scene.layout.slot_id("cup", "pose")
    assert scene.foreign_for_main == {}
    for x in (1.0, 2.0):
        scene.put(cup, pose_value((x, 0.0, 0.0)))
        assert set(scene.foreign_for_main) == {("cup", "pose")}
        assert scene.foreign_for_main["cup", "pose"].data[0] == x
    scene.table.move(cup, 0)
    scene.put(cup, pose_value((3.0, 0.0, 0.0)))
    assert scene.foreign_for_main == {}
