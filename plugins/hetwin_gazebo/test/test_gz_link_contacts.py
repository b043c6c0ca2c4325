"""What Gazebo's contacts tell of a robot's links, without Gazebo."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.small_worlds import at, box, gripper

from hetwin_gazebo.contacts import Contact, without_duplicates
from hetwin_gazebo.shadow import Shadow
from hetwin_gazebo.touching import LinkContacts
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.notes import Notes

MS = 1_000_000
LEFT, BOX, TABLE = 7, 5, 9
FRAME_OF = {LEFT: "left", BOX: "box", TABLE: "table"}


class Gazebo:
    """Reports contacts some steps late, once it is asked for them."""

    frame_of = FRAME_OF

    def __init__(self, *steps: tuple[int, list[Contact]]) -> None:
        self.steps, self.asked = list(steps), 0

    def new_contacts(self) -> list[tuple[int, list[Contact]]]:
        self.asked += 1
        found, self.steps = self.steps, []
        return found


def shadow(box_at: float) -> Shadow:
    bodies = gripper(), box("box", at(0.0, box_at, 0.0)), box("table", at(0, 0, -1), static=True)
    return Shadow(World("test", bodies), EngineSettings(0.0025), Notes())


def touch(one: int, other: int, depth: float, *force: float) -> Contact:
    return Contact((one, other), (force[0], force[1], force[2]), depth, (0.1, 0.2, 0.3))


def rows(world: Shadow, gazebo: Any, now_ns: int = 100 * MS) -> list[list[float]]:
    LinkContacts(world, ("box",)).note_contacts(gazebo, now_ns)
    return world.touches.take().tolist()


def test_the_contacts_of_all_steps_are_one_row_with_the_deepest() -> None:
    world = shadow(0.0)
    steps = [
        (30 * MS, [touch(BOX, LEFT, 0.001, 0.0, 3.0, 0.0)]),
        (20 * MS, [touch(BOX, LEFT, 0.002, 0.0, 3.0, 4.0), touch(BOX, TABLE, 0.1, 0, 0, 9.0)]),
        (10 * MS, [touch(BOX, LEFT, 0.001, 0.0, 9.0, 0.0)]),
    ]
    (row,) = rows(world, Gazebo(*steps))
    names = [world.tables.frames[int(frame)] for frame in row[:2]]
    assert names == ["left", "box"]
    assert row[2:] == pytest.approx([70 * MS, 90 * MS, 0.002, 5.0, 0.1, 0.2, 0.3])


def test_an_unknown_depth_is_none() -> None:
    gazebo = Gazebo((0, [Contact((BOX, LEFT), (0.0, 1.0, 0.0))]))
    (row,) = rows(shadow(0.0), gazebo)
    assert row[4:6] == [0.0, 1.0]
    assert np.isnan(row[6:]).all()


def test_nothing_is_asked_for_while_no_link_is_near_an_object() -> None:
    far, near = Gazebo(), Gazebo()
    rows(shadow(3.0), far)
    rows(shadow(0.0), near)
    assert (far.asked, near.asked) == (0, 1)


def test_before_gazebo_runs_there_is_nothing() -> None:
    assert rows(shadow(0.0), None) == []


def test_a_message_says_how_deep_and_where_if_gazebo_does() -> None:
    def contact(**known: Any) -> SimpleNamespace:
        ids = {f"collision{i}": SimpleNamespace(id=at) for i, at in ((1, LEFT), (2, BOX))}
        wrench = SimpleNamespace(
            body_1_wrench=SimpleNamespace(force=SimpleNamespace(x=1, y=2, z=3))
        )
        return SimpleNamespace(**ids, wrench=[wrench], **{"position": [], "depth": [], **known})

    place = SimpleNamespace(x=0.1, y=0.2, z=0.3)
    told = SimpleNamespace(contact=[contact(position=[place], depth=[0.004]), contact()])
    one, other = without_duplicates([told])
    assert one == Contact((BOX, LEFT), (1, 2, 3), 0.004, (0.1, 0.2, 0.3))
    assert np.isnan([other.depth, *other.point]).all()
