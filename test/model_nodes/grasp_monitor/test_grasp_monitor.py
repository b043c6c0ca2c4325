"""The grasp monitor sees grips begin and end, and none where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fingers_around import BALL, BOX, OPEN, Gripper, Parallel, Row
from support.random_examples import examples

from hetwin_core.ensemble.concern_words import JUDGED
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.model import Tick
from model_nodes.grasp_monitor import GraspMonitor

HALF = 0.015
"""Half the width of the box."""


def closing(seconds: float, stop: float = HALF) -> float:
    """Fingers that close from 1.0 s on at 0.1 m/s until they stop, and open again from 3.0 s on."""
    if seconds < 3.0:
        return max(stop, OPEN - 0.1 * max(0.0, seconds - 1.0))
    return min(OPEN, stop + 0.1 * (seconds - 3.0))


def times(rate: float, until: float = 4.0) -> Iterator[float]:
    return (i / rate for i in range(1, int(until * rate)))


def run(
    gripper: Parallel, rate: float, opening: Callable[[float], float], half: float | None
) -> None:
    for t in times(rate):
        gripper.at(t, opening(t), half)


@pytest.mark.parametrize("rate", [16.0, 50.0, 400.0])
def test_a_grip_begins_and_ends(rate: float) -> None:
    gripper = Parallel()
    run(gripper, rate, closing, HALF)
    closed, lost = gripper.events
    assert (closed.name, lost.name) == ("grip_closed", "grip_lost")
    assert closed.arguments == {"hand": "hand", "object": "box"}
    assert lost.arguments == {"hand": "hand", "object": "box", "opened": True}
    assert closed.time_ns * 1e-9 == pytest.approx(1.25, abs=0.02 + 1.1 / rate)
    assert lost.time_ns * 1e-9 == pytest.approx(3.04, abs=0.01 + 1.1 / rate)


def test_the_attributes_follow() -> None:
    gripper = Parallel()
    seen = []
    for t in times(50.0):
        gripper.at(t, closing(t), HALF)
        seen.append((gripper.holding, gripper.held))
    assert seen[0] == seen[-1] == (False, -1)
    assert seen[round(2.0 * 50)] == (True, BOX)
    assert set(seen) == {(False, -1), (True, BOX)}


def test_fingers_that_stay_open_around_an_object_hold_nothing() -> None:
    gripper = Parallel()
    run(gripper, 50.0, lambda t: OPEN, OPEN)
    assert gripper.events == []


def test_fingers_that_stop_on_nothing_hold_nothing() -> None:
    gripper = Parallel()
    run(gripper, 50.0, closing, None)
    assert gripper.events == []


def test_fingers_that_close_fully_hold_nothing() -> None:
    """Even with something thin between them: it cannot be distinguished from the error of the fingers."""
    gripper = Parallel()
    run(gripper, 50.0, lambda t: closing(t, 0.0005), 0.0005)
    assert gripper.events == []


def test_fingers_that_move_hold_nothing_yet() -> None:
    gripper = Parallel()
    for t in times(50.0, 1.2):
        gripper.at(t, closing(t), closing(t))
    assert gripper.events == []


@pytest.mark.parametrize(("overlap", "held"), [(0.0, False), (0.002, True), (0.01, False)])
def test_fingers_that_sink_into_an_object_hold_it_while_they_move(
    overlap: float, held: bool
) -> None:
    """As in soft contacts, where a slippery object leaves fingers that have not come to rest."""
    gripper = Parallel(overlap=overlap)
    for t in times(50.0, 1.3):
        gripper.at(t, closing(t, 0.01), max(HALF, closing(t, 0.01)) if t < 1.25 else HALF)
    assert bool(gripper.events) is held


def test_a_grip_at_the_start_is_seen() -> None:
    gripper = Parallel()
    for t in times(50.0, 1.0):
        gripper.at(t, HALF, HALF)
    assert [event.name for event in gripper.events] == ["grip_closed"]


@pytest.mark.parametrize(
    "links", [("left_tip", "left"), ("left_tip",), ("palm", "left_tip")], ids=str
)
def test_contact_on_one_side_is_no_grip(links: tuple[str, ...]) -> None:
    gripper = Parallel()
    rows: list[Row] = [(BOX, link, 0.0, (0.0, -1.0, 0.0)) for link in links]
    for t in times(50.0, 2.0):
        gripper.look(gripper.scene(t, (HALF, -HALF), rows))
    assert gripper.events == []


def test_both_fingers_pressing_the_same_side_are_no_grip() -> None:
    gripper = Parallel()
    rows: list[Row] = [(BOX, link, 0.0, (0.0, 0.0, -1.0)) for link in ("left_tip", "right_tip")]
    for t in times(50.0, 2.0):
        gripper.look(gripper.scene(t, (HALF, -HALF), rows))
    assert gripper.events == []


def test_the_object_that_is_between_the_fingers_is_named() -> None:
    gripper = Parallel()
    rows: list[Row] = [
        (BOX, "left_tip", 0.001, (0.0, -1.0, 0.0)),
        (BALL, "left_tip", 0.0, (0.0, -1.0, 0.0)),
        (BALL, "right_tip", 0.0005, (0.0, 0.9, 0.4)),
    ]
    for t in times(50.0, 1.0):
        gripper.look(gripper.scene(t, (HALF, -HALF), rows))
    assert [event.arguments["object"] for event in gripper.events] == ["ball"]


def test_a_grip_ends_when_the_object_slips_out_or_the_fingers_close_fully() -> None:
    slipped, crushed = Parallel(), Parallel()
    for t in times(50.0):
        slipped.at(t, HALF, HALF if t < 2.0 else None)
        opening = HALF if t < 2.0 else 0.0
        crushed.at(t, opening, opening)
    for gripper in (slipped, crushed):
        assert [event.name for event in gripper.events] == ["grip_closed", "grip_lost"]
        assert gripper.events[1].time_ns == pytest.approx(2.0e9, abs=0.03e9)
        assert gripper.events[1].arguments["opened"] is False


@pytest.mark.parametrize("rate", [16.0, 50.0, 400.0])
@pytest.mark.parametrize(
    ("speed", "until", "opened"),
    [
        (0.1, OPEN, True),
        (0.03, OPEN, True),
        (0.1, HALF + 0.0036, True),
        (0.05, HALF + 0.003, False),
        (-0.1, 0.004, False),
    ],
    ids=["fast", "slowly", "a little", "pushed by what slips", "closes on"],
)
def test_it_says_whether_the_fingers_opened_when_the_object_left_them(
    rate: float, speed: float, until: float, opened: bool
) -> None:
    """The object is gone 0.1 s after the fingers began to move; what slips pushes them by less than a tenth of it."""
    gripper = Parallel()
    for t in times(rate):
        moved = HALF + speed * max(0.0, t - 2.0)
        at = min(until, moved) if speed > 0 else max(until, moved)
        gripper.at(t, at, max(HALF, at) if t < 2.1 else None)
    assert [event.name for event in gripper.events] == ["grip_closed", "grip_lost"]
    assert gripper.events[1].arguments["opened"] is opened


@examples(40)
@given(st.integers(0, 2**32 - 1), st.floats(16.0, 100.0), st.floats(0.0, 0.01))
def test_noise_of_the_joints_opens_no_hand_and_closes_none(
    seed: int, rate: float, noise: float
) -> None:
    """Noise in shares of the travel; the object leaves 0.05 s after the fingers began to move."""
    random = np.random.default_rng(seed)
    for opened in (False, True):
        gripper = Parallel()
        for t in times(rate, 8.0):
            at = HALF + (0.05 if opened else -0.1) * max(0.0, t - 6.0)
            at = min(max(at, 0.002), OPEN) + random.normal(0.0, noise * OPEN)
            gripper.at(t, at, at if t < 6.05 else None)
        lost = [event for event in gripper.events if event.name == "grip_lost"]
        assert [event.arguments["opened"] for event in lost[-1:]] == [opened]


@pytest.mark.parametrize(("gap", "lost"), [(-0.004, 0.007), (0.0, 0.003), (0.005, 0.003)])
def test_a_gap_that_the_grip_has_from_the_beginning_is_no_loss(gap: float, lost: float) -> None:
    """Joints whose zeros are off, or an object of another size: only a gap that grows tells of a loss."""
    gripper = Parallel(contact_distance=0.008, leave_distance=0.002)
    for t in times(50.0):
        gripper.at(t, HALF, HALF - gap - (0.0 if t < 2.0 else lost))
    assert [event.name for event in gripper.events] == ["grip_closed", "grip_lost"]
    assert gripper.events[1].time_ns == pytest.approx(2.0e9, abs=0.03e9)


def test_a_gap_of_a_moment_is_no_loss() -> None:
    gripper = Parallel()
    for t in times(50.0):
        gripper.at(t, HALF, None if 2.0 < t < 2.03 or 2.5 < t < 2.53 else HALF)
    assert [event.name for event in gripper.events] == ["grip_closed"]


def test_fingers_that_let_go_must_close_again() -> None:
    """After opening by a tenth they pause, still within contact distance: no new grip."""
    gripper = Parallel(contact_distance=0.005, leave_distance=0.01)
    for t in times(50.0):
        gripper.at(t, HALF if t < 1.0 or t > 3.0 else HALF + 0.0042, HALF)
    names = [event.name for event in gripper.events]
    assert names == ["grip_closed", "grip_lost", "grip_closed"]
    assert gripper.events[2].time_ns >= 3.0e9


def test_weak_fingers_hold_nothing_if_an_effort_is_asked_for() -> None:
    weak, strong, unknown = (Parallel(min_effort=2.0) for _ in range(3))
    for t in times(50.0):
        weak.at(t, HALF, HALF, effort=1.0)
        strong.at(t, HALF, HALF, effort=-3.0 if t < 2.0 else -0.5)
        unknown.at(t, HALF, HALF, effort=np.nan)
    assert weak.events == []
    assert [event.name for event in strong.events] == ["grip_closed", "grip_lost"]
    assert [event.name for event in unknown.events] == ["grip_closed"]


def test_messages_with_gaps_are_no_trouble() -> None:
    """Fingers as interpolated by a source: samples every 50 to 800 ms, straight lines between."""
    samples = [0.0, 0.5, 1.0, 1.05, 1.13, 1.25, 1.3, 1.62, 2.41, 2.46, 3.0, 3.05, 3.19, 3.4, 4.0]
    gripper = Parallel()
    run(gripper, 50.0, lambda t: float(np.interp(t, samples, [closing(s) for s in samples])), HALF)
    assert [event.name for event in gripper.events] == ["grip_closed", "grip_lost"]
    assert gripper.events[0].time_ns * 1e-9 == pytest.approx(1.25, abs=0.1)
    assert gripper.events[1].time_ns * 1e-9 == pytest.approx(3.04, abs=0.1)


def test_missing_numbers_leave_the_fingers_where_they_were() -> None:
    gripper = Parallel()
    rows: list[Row] = [
        (BOX, "left_tip", 0.0, (0.0, -1.0, 0.0)),
        (BOX, "right_tip", 0.0, (0.0, 1.0, 0.0)),
    ]
    for t in times(50.0, 1.6):
        gripper.at(t, closing(t), HALF)
    for t in np.arange(1.6, 2.6, 0.02):
        gripper.look(gripper.scene(t, (np.nan, -HALF if t < 2.0 else np.nan), rows))
        assert gripper.holding
    for t in np.arange(2.6, 2.8, 0.02):
        gripper.look(gripper.scene(t, (np.nan, -OPEN), rows))
    assert [event.name for event in gripper.events] == ["grip_closed", "grip_lost"]


@examples(25)
@given(st.integers(0, 2**32 - 1), st.floats(10.0, 100.0))
def test_noise_makes_no_chatter(seed: int, rate: float) -> None:
    random = np.random.default_rng(seed)
    gripper = Parallel()
    for t in times(rate):
        late = t + random.uniform(0.0, 0.9 / rate)
        noise = random.normal(0.0, 1e-4)
        gripper.at(late, closing(late) + noise, HALF + random.normal(0.0, 3e-4))
    assert [event.name for event in gripper.events] == ["grip_closed", "grip_lost"]


LINKS = ("left", "left_tip", "right", "right_tip", "palm")
ROWS = st.tuples(
    st.sampled_from([BOX, BALL]),
    st.sampled_from(LINKS),
    st.floats(-0.01, 0.02),
    st.sampled_from([(0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)]),
)
MOMENTS = st.tuples(
    st.floats(0.001, 0.3), st.floats(-0.01, 0.05), st.lists(ROWS, max_size=6), st.integers(1, 20)
)


@examples(80)
@given(st.lists(MOMENTS, max_size=25))
def test_grips_begin_and_end_in_turn_whatever_is_seen(
    moments: list[tuple[float, float, list[Row], int]],
) -> None:
    gripper = Parallel()
    t = 0.0
    for wait, opening, rows, repeats in moments:
        for _ in range(repeats):
            t += wait
            gripper.look(gripper.scene(t, (opening, -opening), rows))
            assert gripper.holding == (gripper.held >= 0) == (len(gripper.events) % 2 == 1)
    for i, event in enumerate(gripper.events):
        assert event.name == ("grip_closed", "grip_lost")[i % 2]
    stamps = [event.time_ns for event in gripper.events]
    assert stamps == sorted(stamps)


def four_fingers() -> Gripper:
    """Four fingers of three joints and three links; the fourth is the thumb."""
    links: dict[str, str] = {}
    for finger in range(4):
        parent = "palm"
        for part in range(3):
            links[f"f{finger}_{part}"] = parent
            parent = f"f{finger}_{part}"
    joints = tuple(f"j{i}" for i in range(12))
    return Gripper(joints, links, [0.0] * 12, [0.0, 1.5, 1.5] * 4)


def test_a_hand_of_four_fingers_holds_a_ball_between_fingers_and_thumb() -> None:
    hand = four_fingers()
    towards_thumb, towards_fingers = (0.0, -0.95, -0.3), (0.0, 0.95, -0.3)
    fingers: list[Row] = [(BALL, f"f{i}_2", 0.0005, towards_thumb) for i in range(3)]
    thumb: Row = (BALL, "f3_2", 0.001, towards_fingers)
    for t in times(50.0):
        bend = min(0.7, 1.0 * t)
        rows = [*fingers, thumb] if 0.65 < t < 3.0 else []
        hand.look(hand.scene(t, [0.1, bend, bend] * 4, rows))
    assert [event.name for event in hand.events] == ["grip_closed", "grip_lost"]
    assert hand.events[0].arguments["object"] == "ball"


def test_one_finger_of_three_links_is_no_grip() -> None:
    """Links of one finger that face each other do not hold: they are one side."""
    hand = four_fingers()
    rows: list[Row] = [(BALL, "f0_0", 0.0, (0.0, 1.0, 0.0)), (BALL, "f0_2", 0.0, (0.0, -1.0, 0.0))]
    for t in times(50.0, 2.0):
        hand.look(hand.scene(t, [0.0, 0.7, 0.7] * 4, rows))
    assert hand.events == []


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"opened": [0.04]}, "opened and closed"),
        ({"joints": [], "opened": [], "closed": []}, "opened and closed"),
        ({"opened": [0.0, 0.0]}, "travel"),
        ({"joints": ["l", "thumb"]}, "thumb"),
        ({"finger_links": ["left", "left_tip"]}, "two fingers"),
        ({"finger_links": ["left", "claw"]}, "claw"),
        ({"robot": "other"}, "other"),
    ],
)
def test_a_hand_that_cannot_be_watched_is_bad_input(change: dict[str, object], place: str) -> None:
    gripper = Parallel()

    def begin() -> None:
        monitor = GraspMonitor()
        monitor.contribute({"hand": {**gripper.description(), **change}}, 0)
        monitor.start(gripper.scene(0.0, (OPEN, -OPEN), ()))

    with pytest.raises(BadInput, match=place):
        begin()


def test_it_brings_the_attributes_of_the_hand_and_reads_the_joints() -> None:
    gripper = Parallel()
    contribution = GraspMonitor().contribute({"hand": gripper.description()}, 0)
    starts = {(a.entity, a.attribute.name): a.value.data.tolist() for a in contribution.attributes}
    assert starts == {("hand", "holding"): [0.0], ("hand", "held_object"): [-1.0]}
    read = {selection.attribute for selection in contribution.reads}
    assert read == {"joint_positions", "joint_efforts", "proximity"}


def test_the_answer_is_for_the_time_asked() -> None:
    gripper = Parallel()
    scene = gripper.scene(0.5, (OPEN, -OPEN), ())
    output = gripper.monitor.step(Tick(502_500_000, 0, scene))
    assert output.time_ns == 502_500_000
    assert all(value.time_ns == 502_500_000 for value in output.values.values())


def test_efforts_that_were_not_recorded_do_not_say_that_the_fingers_press_on_nothing() -> None:
    gripper = Parallel()
    for t in times(50.0, 2.0):
        gripper.at(t, closing(t), None, effort=0.0)
    assert [event.name for event in gripper.events] == ["closed_on_something"]


def judged(time_s: float, claim: str, probability: float, hand: str = "hand") -> Event:
    said: dict[str, Json] = {"claim": claim, "hand": hand, "probability": probability}
    return Event(JUDGED, round(time_s * 1e9), arguments=said)


@pytest.mark.parametrize(("claim", "probability"), [("held", 0.1), ("lost", 0.9)])
def test_a_grip_ends_where_evidence_is_sure_of_it(claim: str, probability: float) -> None:
    gripper = Parallel()
    for t in times(50.0):
        heard = (judged(t, claim, probability),) if abs(t - 2.0) < 1e-6 else ()
        gripper.at(t, closing(t), HALF, heard)
    assert [event.name for event in gripper.events] == ["grip_closed", "grip_lost"]
    assert gripper.events[1].time_ns * 1e-9 == pytest.approx(2.0, abs=0.03)
    assert gripper.events[1].arguments["opened"] is False


@pytest.mark.parametrize(
    "heard",
    [("held", 0.3), ("lost", 0.7), ("touched", 0.01), ("held", 0.01, "left")],
    ids=["unsure", "unsure of a loss", "another claim", "another hand"],
)
def test_other_evidence_ends_no_grip(heard: tuple[str, float]) -> None:
    gripper = Parallel()
    for t in times(50.0, 3.0):
        gripper.at(t, closing(t), HALF, (judged(t, *heard),) if abs(t - 2.0) < 1e-6 else ())
    assert [event.name for event in gripper.events] == ["grip_closed"]


def test_a_hand_that_was_refuted_grips_again_once_it_has_opened() -> None:
    gripper = Parallel()
    for t in times(50.0, 8.0):
        heard = (judged(t, "held", 0.05),) if abs(t - 2.0) < 1e-6 else ()
        gripper.at(t, closing(t % 4.0), HALF, heard)
    names = [event.name for event in gripper.events]
    assert names == ["grip_closed", "grip_lost", "grip_closed", "grip_lost"]
