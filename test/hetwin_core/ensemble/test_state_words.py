"""Predicates at the end of a run, in words."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.state_words import predicate_words, state_words


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("collision(box)", True, "box takes part in collisions"),
        ("collision(plug)", False, "plug takes part in no collision"),
        ("held(box, gripper)", False, "box is not held by gripper"),
        ("held_object(gripper, box)", True, "gripper holds box"),
        ("in_container(ball, bin)", True, "ball is in bin"),
        ("connected(dip, socket)", True, "dip is connected to socket"),
        ("open(door)", True, "door is open"),
        ("held(box)", False, "box is not held"),
        ("too_hot(cell)", False, "cell is not too hot"),
        ("charge(cell)", 0.5, "charge(cell): 0.5"),
        ("is_open", True, "is open: yes"),
        ("infinite", None, "infinite: none"),
        ("holding(clamp)", None, "whether clamp holds something is not known"),
        ("held(box, clamp)", None, "whether box is held by clamp is not known"),
    ],
)
def test_a_predicate_says_what_it_means(name: str, value: Json, words: str) -> None:
    assert predicate_words(name, value) == words


def test_only_the_partner_that_counts_is_named() -> None:
    state: dict[str, Json] = {"on(box, table)": False, "on(box, tray)": True}
    assert state_words(state) == ["box is on tray"]
    assert state_words(dict.fromkeys(state, False)) == ["box is on nothing"]


def test_the_same_thing_is_said_once() -> None:
    state: dict[str, Json] = {"held_object(gripper, box)": False, "holding(gripper)": False}
    assert state_words(state) == ["gripper holds nothing"]


def test_equal_lines_become_one() -> None:
    state: dict[str, Json] = {f"moved(packet_{i:04})": True for i in range(40)}
    assert state_words(state) == ["packet_0000 has moved (and 39 others)"]


def test_that_a_body_takes_part_in_collisions_goes_without_saying() -> None:
    state: dict[str, Json] = {"collision(box)": True, "collision(plug)": False}
    assert state_words(state) == ["plug takes part in no collision"]


def test_what_is_not_known_is_not_denied() -> None:
    state: dict[str, Json] = {
        "holding(clamp)": None,
        "held_object(clamp, box)": None,
        "held(box, clamp)": None,
        "on(box, table)": False,
        "on(box, tray)": None,
    }
    assert state_words(state) == [
        "whether clamp holds something is not known",
        "whether clamp holds box is not known",
        "whether box is held by clamp is not known",
        "whether box is on tray is not known",
    ]
    assert state_words({**state, "on(box, table)": True})[-1] == "box is on table"
