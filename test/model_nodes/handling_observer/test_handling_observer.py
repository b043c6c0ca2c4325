"""The handling observer reports what hands do with a box, determined from the scene."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.handled_in_turn import in_turn
from support.random_examples import examples
from support.table_scene import NAMES, UP, Row, Watch, above, grip_lost

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind, announce
from hetwin_core.ensemble.scene.values import Floats, pose_value
from model_nodes.handling_observer import HandlingObserver


def falling(z: float) -> Floats:
    return pose_value((0.0, 0.0, z)).data


def carry(
    watch: Watch, *, grip: str | None = None, frame: str | None = None, z: float = 0.0
) -> None:
    """Grasp the box at 0.5 s, lift it from 1.0 s on at 2 cm/s, hold it until 2.0 s; it is at a height z [m] then."""
    watch.stay(0.5, above(0.0))
    watch.stay(0.5, above(0.0), grip=grip, frame=frame)
    for i in range(1, 101):
        watch.look(above(0.0002 * i), grip=grip, frame=frame, pose=falling(0.01 * z * i))


def acts(operation: str) -> Event:
    """An action of the left hand that begins after 2 s."""
    return announce(operation, "begin", {"hand": "left"}, 2 * 10**9, "robot")


def fall(watch: Watch, height: float, *told: Event, support: str = "ground") -> None:
    """Let the box go from 0.3 m on, what others tell first; it falls for so long, and then lies there for 1 s."""
    z = 0.3
    watch.look(pose=falling(z), events=told)
    while z > 0.3 - height:
        z = max(0.3 - height, z - 0.02)
        watch.look(pose=falling(z))
    watch.stay(1.0, above(0.0, support), pose=falling(z))


@pytest.mark.parametrize(
    ("grip", "frame"), [("left", None), ("left", "left"), (None, "right")], ids=str
)
def test_a_box_is_carried_from_the_table_to_the_shelf(grip: str | None, frame: str | None) -> None:
    """Held by contact alone, bound to a hand that is watched, bound to one that is not."""
    watch = Watch()
    carry(watch, grip=grip, frame=frame)
    assert watch.told == ["grasped", "picked_up"]
    watch.stay(0.2, above(0.003, "shelf"), grip=grip, frame=frame)
    watch.stay(0.3, above(0.0, "shelf"), grip=grip, frame=frame)
    watch.stay(1.0, above(0.0, "shelf"))
    assert watch.told == ["grasped", "picked_up", "released", "put_down"]
    hand = frame or "left"
    assert [dict(event.arguments) for event in watch.events] == [
        {"object": "box", "hand": hand, "support": support}
        for support in ("table", "table", "shelf", "shelf")
    ]
    stamps = [event.time_ns * 1e-9 for event in watch.events]
    assert stamps == pytest.approx([0.51, 1.06, 2.51, 2.51], abs=1e-6)


def test_the_attributes_follow() -> None:
    watch = Watch()
    watch.stay(0.5, above(0.0))
    assert watch.answers == {"held": -1.0, "on": NAMES.index("table"), "carried": 0.0}
    watch.stay(0.5, above(0.0), grip="left")
    left = NAMES.index("left")
    assert watch.answers == {"held": left, "on": NAMES.index("table"), "carried": 0.0}
    watch.stay(0.5, above(0.01), grip="left")
    assert watch.answers == {"held": left, "on": -1.0, "carried": 1.0}
    watch.stay(1.0, above(0.0, "ground"))
    assert watch.answers == {"held": -1.0, "on": NAMES.index("ground"), "carried": 0.0}


def test_picked_up_is_dated_at_the_first_moment_clear_and_arrives_later() -> None:
    watch = Watch()
    watch.stay(1.0, above(0.0), grip="left")
    watch.stay(0.05, above(0.0009), grip="left")
    watch.stay(0.1, above(0.0011), grip="left")
    assert watch.told == ["grasped"]
    watch.look(above(0.0011), grip="left")
    assert watch.told == ["grasped", "picked_up"]
    assert watch.events[1].time_ns == pytest.approx(1.06e9, abs=10)
    assert watch.time == pytest.approx(1.16)


def test_a_box_that_is_clear_for_a_moment_only_is_not_picked_up() -> None:
    watch = Watch()
    for _ in range(20):
        watch.stay(0.09, above(0.003), grip="left")
        watch.look(above(0.0005), grip="left")
    assert watch.told == ["grasped"]


def test_a_box_that_is_lifted_by_something_else_is_not_picked_up() -> None:
    watch = Watch()
    watch.stay(1.0, above(0.05))
    assert watch.told == []


def test_a_box_that_touches_its_support_on_a_side_is_not_clear() -> None:
    watch = Watch()
    watch.stay(0.5, above(0.0), grip="left")
    watch.stay(0.5, ("box", "table", 0.0005, (1.0, 0.0, 0.0)), grip="left")
    assert watch.told == ["grasped"]


def test_the_hand_itself_is_no_support() -> None:
    watch = Watch()
    watch.stay(0.5, above(0.0), grip="left")
    in_hand = (above(0.0, "palm"), above(0.0, "fingertip"), above(0.0, "finger"))
    watch.stay(0.5, *in_hand, grip="left")
    assert watch.told == ["grasped", "picked_up"]
    watch.stay(1.0, *in_hand, grip="left")
    assert watch.answers["on"] == -1.0


def test_another_link_is_a_support_like_any_other() -> None:
    watch = Watch(parameters={"hands": ["left"]})
    carry(watch, grip="left")
    watch.stay(1.0, above(0.0, "back"))
    assert watch.told[-1] == "put_down"
    assert watch.events[-1].arguments["support"] == "back"


@pytest.mark.parametrize("turned", [False, True])
def test_an_object_may_be_the_support_on_either_side_of_the_row(turned: bool) -> None:
    row: Row = ("tray", "box", 0.0, (0.0, 0.0, -1.0)) if turned else ("box", "tray", 0.0, UP)
    watch = Watch()
    carry(watch, grip="left")
    watch.stay(1.0, row)
    assert watch.events[-1].name == "put_down"
    assert watch.events[-1].arguments["support"] == "tray"


def test_what_lies_on_the_box_is_no_support() -> None:
    watch = Watch()
    watch.stay(0.5, above(0.0), grip="left")
    watch.stay(0.5, ("tray", "box", 0.0, UP), grip="left")
    assert watch.told == ["grasped", "picked_up"]


def test_a_dropped_box_is_put_down_where_it_comes_to_rest() -> None:
    watch = Watch()
    carry(watch, grip="left", z=1.0)
    for i in range(1, 41):
        watch.look(pose=falling(1.0 - 0.5 * 9.81 * (0.01 * i) ** 2))
    for i in range(1, 51):
        watch.look(above(0.0, "ground"), pose=pose_value((0.01 * (50 - i), 0.0, 0.2)).data)
    assert watch.told == ["grasped", "picked_up", "released", "dropped"]
    assert watch.events[2].arguments["support"] is None
    watch.stay(0.6, above(0.0, "ground"), pose=pose_value((0.0, 0.0, 0.2)).data)
    assert watch.told[4:] == ["put_down"]
    assert watch.events[4].arguments["support"] == "ground"
    assert watch.events[4].time_ns == pytest.approx(2.9e9, abs=0.02e9)


def test_a_box_that_leaves_a_hand_which_did_not_open_is_lost_and_dropped_and_nobody_put_it_down() -> (
    None
):
    watch = Watch()
    carry(watch, grip="left", z=0.3)
    fall(watch, 0.26, grip_lost(opened=False))
    assert watch.told == ["grasped", "picked_up", "lost", "dropped"]
    lost, dropped = watch.events[2:]
    assert dict(lost.arguments) == {"object": "box", "hand": "left", "support": None}
    said = dict(dropped.arguments)
    assert said.pop("height") == pytest.approx(0.26)
    assert said.pop("from") == lost.time_ns / 1e9 == pytest.approx(2.01)
    assert said.pop("to") == dropped.time_ns / 1e9 == pytest.approx(2.14, abs=0.02)
    assert said == {"object": "box", "hand": "left", "severity": "warning"}


@pytest.mark.parametrize(
    "told", [(grip_lost(opened=True),), (grip_lost(opened=None),), ()], ids=str
)
def test_a_box_that_a_hand_let_go_of_is_released_also_where_nothing_tells(
    told: tuple[Event, ...],
) -> None:
    watch = Watch()
    carry(watch, grip="left", z=0.3)
    fall(watch, 0.26, *told)
    assert watch.told == ["grasped", "picked_up", "released", "dropped", "put_down"]
    assert watch.events[3].arguments["severity"] == "warning"  # no program says that it is meant


def test_what_is_let_down_a_little_is_not_dropped_but_what_is_lost_fell_however_low() -> None:
    for height in (0.04, 0.0):
        for opened, told in ((True, ["released", "put_down"]), (False, ["lost", "dropped"])):
            watch = Watch()
            carry(watch, grip="left", z=0.3)
            fall(watch, height, grip_lost(opened=opened), support="table")
            assert watch.told[2:] == told


def test_what_stays_between_the_fingers_though_they_do_not_hold_it_is_not_dropped() -> None:
    watch = Watch()
    carry(watch, grip="left", z=0.3)
    watch.look(pose=falling(0.3), events=(grip_lost(opened=False),))
    watch.stay(2.0, pose=falling(0.3))
    assert watch.told[2:] == ["lost"]


def test_a_drop_is_not_meant_where_the_program_tells_of_the_hand_and_lets_nothing_go() -> None:
    for release in (False, True):
        watch = Watch()
        carry(watch, grip="left", z=0.3)
        watch.look(above(0.02), grip="left", pose=falling(0.3), events=(acts("carry"),))
        fall(watch, 0.26, grip_lost(opened=True), *([acts("release")] if release else []))
        assert watch.told[2:] == ["released", "dropped", "put_down"]
        assert ("severity" in watch.events[3].arguments) is not release


def test_what_slips_out_where_it_stands_is_lost_but_not_dropped() -> None:
    watch = Watch()
    watch.stay(1.0, above(0.0), grip="left")
    watch.look(above(0.0), events=(grip_lost(opened=False),))
    watch.stay(2.0, above(0.0))
    assert watch.told == ["grasped", "lost"]


def test_what_a_hand_catches_again_is_not_dropped() -> None:
    watch = Watch()
    carry(watch, grip="left", z=0.3)
    watch.look(pose=falling(0.3), events=(grip_lost(opened=False),))
    watch.stay(0.2, pose=falling(0.2))
    watch.stay(1.0, grip="left", pose=falling(0.2))
    assert watch.told[2:] == ["lost", "grasped"]


def test_what_falls_out_of_the_world_is_dropped() -> None:
    watch = Watch()
    carry(watch, grip="left", z=0.3)
    watch.look(pose=falling(0.3), events=(grip_lost(opened=False),))
    for i in range(200):
        watch.look(pose=falling(0.3 - 0.04 * i))
    assert watch.told[2:] == ["lost", "dropped"]
    assert watch.events[3].arguments["height"] == pytest.approx(5.0, abs=0.05)


def test_what_another_hand_or_another_body_takes_over_is_released() -> None:
    """A hand that gives something away may keep its fingers closed; so may one that has plugged something in."""
    for taken in ({"grip": "right"}, {"frame": "table"}):
        watch = Watch(monitored=("left", "right"))
        carry(watch, grip="left", z=0.3)
        watch.look(pose=falling(0.3), events=(grip_lost(opened=False),), **taken)  # type: ignore[arg-type]
        watch.stay(0.3, pose=falling(0.3), **taken)  # type: ignore[arg-type]
        assert watch.told[2] == "released"


def test_a_box_that_turns_on_the_spot_is_not_at_rest() -> None:
    watch = Watch()
    carry(watch, grip="left")
    for i in range(100):
        angle = 0.005 * i
        turned = pose_value((0, 0, 0), (np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2))).data
        watch.look(above(0.0), pose=turned)
    assert watch.told[-1] == "released"


def test_a_box_that_is_squeezed_and_left_in_its_place_is_not_put_down() -> None:
    watch = Watch()
    watch.stay(0.5, above(0.0), grip="left")
    watch.stay(2.0, above(0.0))
    assert watch.told == ["grasped", "released"]


def test_a_resting_box_seen_through_noise_makes_no_event() -> None:
    random = np.random.default_rng(3)
    watch = Watch()
    for _ in range(1000):
        noise = random.normal(0.0, 5e-4, 3)
        watch.look(above(random.normal(0.0, 8e-4)), pose=pose_value(noise).data)
    assert watch.told == []


def test_a_flickering_verdict_makes_no_event() -> None:
    watch = Watch()
    for i in range(400):
        watch.look(above(0.0), grip="left" if i % 10 < 4 else None)
    assert watch.told == []
    watch.stay(0.2, above(0.0), grip="left")
    for i in range(400):
        watch.look(above(0.0), grip="left" if i % 10 < 6 else None)
    assert watch.told == ["grasped"]


def test_an_object_that_waits_in_the_frame_of_an_empty_hand_is_not_grasped() -> None:
    """A model may take responsibility before its hand has touched anything."""
    watch = Watch()
    watch.stay(1.0, above(0.0), frame="left")
    assert watch.told == []
    watch.stay(1.0, above(0.02), frame="left")
    assert watch.told == ["grasped", "picked_up"]


def test_a_bound_object_stays_held_while_the_monitor_doubts() -> None:
    watch = Watch()
    carry(watch, frame="left", grip="left")
    watch.stay(1.0, frame="left")
    assert watch.told == ["grasped", "picked_up"]
    watch.stay(0.2)
    assert watch.told == ["grasped", "picked_up", "released"]


def test_an_object_goes_from_hand_to_hand() -> None:
    watch = Watch(monitored=("left", "right"))
    carry(watch, grip="left")
    watch.stay(0.5, grip="right")
    assert watch.told == ["grasped", "picked_up", "released", "grasped"]
    hands = [event.arguments["hand"] for event in watch.events]
    assert hands == ["left", "left", "left", "right"]


def test_a_second_hand_on_a_held_object_changes_nothing() -> None:
    watch = Watch(monitored=("left", "right"))
    carry(watch, frame="left", grip="left")
    watch.stay(0.5, frame="left", grip="right")
    assert watch.told == ["grasped", "picked_up"]
    assert watch.answers["held"] == NAMES.index("left")


def test_a_box_that_was_still_in_the_hand_must_be_still_without_it() -> None:
    watch = Watch()
    carry(watch, grip="left")
    watch.stay(1.0, above(0.0, "shelf"), grip="left")
    watch.stay(0.45, above(0.0, "shelf"))
    assert watch.told == ["grasped", "picked_up", "released"]
    watch.stay(0.1, above(0.0, "shelf"))
    assert watch.told[3:] == ["put_down"]


def test_what_comes_later_is_not_dated_earlier() -> None:
    """Let go at 1.0 s, noticed after 0.3 s; in between it was seen to be lifted."""
    watch = Watch(parameters={"hold_dwell": 0.3})
    watch.stay(1.0, above(0.0), grip="left")
    watch.stay(0.05, above(0.0))
    watch.stay(0.4)
    assert watch.told == ["grasped", "picked_up", "released"]
    assert [event.time_ns for event in watch.events[1:]] == [1_060_000_000, 1_060_000_000]


def test_hands_that_are_not_named_do_not_count() -> None:
    watch = Watch(parameters={"hands": ["right"]})
    carry(watch, grip="left")
    assert watch.told == []


Picture: TypeAlias = tuple[
    str | None,
    str | None,
    list[tuple[tuple[str, str], float, tuple[float, float, float]]],
    float,
    float,
    tuple[Event, ...],
    float,
    int,
]
TOLD: list[tuple[Event, ...]] = [
    (),
    (),
    (grip_lost(opened=False), grip_lost(opened=False, hand="right")),
    (grip_lost(opened=True),),
    (Event("release", 0, EventKind.ACTION, arguments={"phase": "instant"}),),
]
PICTURES = st.tuples(
    st.sampled_from([None, "left", "right"]),
    st.sampled_from([None, "left", "right", "wrist"]),
    st.lists(
        st.tuples(
            st.sampled_from(
                [("box", "table"), ("box", "ground"), ("tray", "box"), ("box", "palm")]
            ),
            st.floats(-0.004, 0.004),
            st.sampled_from([UP, (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]),
        ),
        max_size=4,
    ),
    st.sampled_from([0.0, 0.0, 0.3]),
    st.sampled_from([0.0, 0.0, -0.3, -6.0]),
    st.sampled_from(TOLD),
    st.floats(0.001, 0.2),
    st.integers(1, 15),
)


@examples(120)
@given(st.lists(PICTURES, max_size=20))
def test_events_come_in_turn_whatever_is_seen(pictures: list[Picture]) -> None:
    watch = Watch(monitored=("left", "right"))
    for grip, frame, near, x, z, told, seconds, repeats in pictures:
        rows = [(*pair, gap, normal) for pair, gap, normal in near]
        pose = pose_value((x, 0, z)).data
        for _ in range(repeats):
            watch.look(*rows, seconds=seconds, grip=grip, frame=frame, pose=pose, events=told)
            held = watch.answers["held"] >= 0
            last = watch.told[-1] if watch.told else None
            assert held == (last in {"grasped", "picked_up"})
            assert watch.answers["carried"] == float(held and watch.answers["on"] < 0)
    assert in_turn(watch.told), watch.told
    stamps = [event.time_ns for event in watch.events]
    assert stamps == sorted(stamps)
    assert not stamps or stamps[-1] <= round(watch.time * 1e9)


@pytest.mark.parametrize(
    ("parameters", "place"),
    [
        ({}, "objects"),
        ({"objects": "box"}, "objects"),
        ({"objects": ["wall"]}, "wall"),
        ({"objects": ["table"]}, "table"),
        ({"objects": ["box"], "hands": ["third"]}, "third"),
        ({"objects": ["box"], "hands": "left"}, "hands"),
        ({"objects": ["box"], "rest_time": float("nan")}, "rest_time"),
        ({"objects": ["box"], "clear_dwell": -0.1}, "clear_dwell"),
        ({"objects": ["box"], "clear_distance": "1 mm"}, "clear_distance"),
    ],
)
def test_parameters_that_cannot_be_used_are_bad_input(
    parameters: dict[str, object], place: str
) -> None:
    watch = Watch()

    def begin() -> None:
        observer = HandlingObserver()
        observer.contribute(parameters, 0)
        observer.start(watch.scene((), None, None, falling(0.0)))

    with pytest.raises(BadInput, match=place):
        begin()


def test_it_brings_three_attributes_of_each_object() -> None:
    contribution = HandlingObserver().contribute({"objects": ["box", "tray"]}, 0)
    starts = {(a.entity, a.attribute.name): float(a.value.data[0]) for a in contribution.attributes}
    assert starts == {
        (name, attribute): start
        for name in ("box", "tray")
        for attribute, start in (("held", -1.0), ("on", -1.0), ("carried", 0.0))
    }
