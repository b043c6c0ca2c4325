"""The twin of a real Baxter that picks something up: its events compared with measurements.

Only the joints are replayed. The wrist's force and the endpoint's pose serve here to score what comes out.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from support.robot_recordings import (
    JOINT_STATES,
    NS,
    Change,
    Recording,
    Stamped,
    joint_states_only,
    moved,
    needs,
    with_position,
)
from support.twin_runs import (
    ROOT,
    at,
    lowest,
    only_box,
    overlap,
    tilt_degrees,
    time_of,
    times_of,
    top,
    twin_run,
)

from hetwin_core.ensemble.resources import data_folder
from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.triggers.schema import OnEvent
from hetwin_core.episodes.episode import Episode
from model_nodes.main_physics.engines.factory import make_engine

pytestmark = [needs("baxter_pnp_mcap", robots=True), pytest.mark.slow]

SCENARIO = ROOT / "scenarios" / "baxter_pick_and_place.yaml"
RECORDED = data_folder() / "baxter_pnp_mcap"
EXPECTED = {"grasped": 11.2, "picked_up": 12.4, "released": 24.6}
FINGER = "r_gripper_l_finger_joint"
MM = 1e-3
BEGIN_S = 9
"""Until then the arm moves to the box. Where only the grasp matters, the recording begins here."""
BEFORE_AND_AFTER_THE_GRASP_S = 14.0 - BEGIN_S
LATER_S = 2


@pytest.fixture(scope="module")
def recording() -> Recording:
    return Recording.read(RECORDED)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return joint_states_only(RECORDED, tmp_path_factory.mktemp("recording") / "joints")


@pytest.fixture(scope="module")
def grasp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording from shortly before the grasp on."""
    folder = tmp_path_factory.mktemp("recording")
    return joint_states_only(RECORDED, folder / "grasp", begin_ns=BEGIN_S * NS)


@pytest.fixture(scope="module")
def twin(replayed: Path, tmp_path_factory: pytest.TempPathFactory) -> Episode:
    return twin_run(SCENARIO, tmp_path_factory.mktemp("twin") / "run", source=replayed)


@pytest.fixture(scope="module")
def carrying(recording: Recording) -> tuple[float, float]:
    """When the wrist felt more than half of what it carried."""
    times, force = recording.series("/wrench", lambda m: (m.wrench.force.z,))
    return first_and_last(times, force[:, 0], np.median(force[(times > 13) & (times < 24), 0]) / 2)


@pytest.fixture(scope="module")
def closed(recording: Recording) -> tuple[float, float]:
    """When the gripper's fingers stood still, closed on something."""
    times, position = recording.joint(FINGER)
    least = position[(times > 13) & (times < 24)].max()
    return first_and_last(times, -position, -least - 1e-9)


def first_and_last(times: Floats, values: Floats, threshold: float) -> tuple[float, float]:
    above = times[values > threshold]
    return float(above[0]), float(above[-1])


def while_held(twin: Episode) -> np.ndarray:
    begin, end = time_of(twin, "grasped"), time_of(twin, "released")
    return (twin.seconds >= begin) & (twin.seconds <= end)


def test_nothing_but_joint_states_is_replayed(twin: Episode, replayed: Path) -> None:
    assert twin.description["source"] == str(replayed)
    with AnyReader([replayed]) as reader:
        assert set(reader.topics) == {JOINT_STATES}
        assert reader.message_count == 2302


def test_all_of_the_recording_was_replayed(twin: Episode) -> None:
    assert twin.summary["ended"] == "recording"
    assert twin.summary["simulated_time"] == pytest.approx(31.6, abs=0.05)


@pytest.mark.parametrize("name", EXPECTED)
def test_event_is_told_once_and_in_time(twin: Episode, name: str) -> None:
    assert times_of(twin, name) == [pytest.approx(EXPECTED[name], abs=0.3)]


@pytest.mark.parametrize("name", EXPECTED)
def test_event_names_box_and_hand(twin: Episode, name: str) -> None:
    (event,) = [event for event in twin.events if event.name == name]
    assert event.source == "handling"
    assert (event.arguments["object"], event.arguments["hand"]) == ("box", "right_hand")


def test_box_is_put_down_on_the_table_once(twin: Episode) -> None:
    (event,) = [event for event in twin.events if event.name == "put_down"]
    assert event.arguments["support"] == "table"
    assert event.time_ns >= time_of(twin, "released") * NS


def test_box_stands_still_until_the_fingers_close_on_it(
    twin: Episode, recording: Recording
) -> None:
    times, position = recording.joint(FINGER)
    closing = times[np.flatnonzero(np.diff(position) < -1e-4)[0]]
    box = twin.pose("box")[:, :3]
    assert np.abs(box[twin.seconds < closing] - box[0]).max() < 0.1 * MM
    assert np.abs(at(twin, box, time_of(twin, "grasped")) - box[0]).max() < 3 * MM


def test_picked_up_is_the_moment_from_which_the_box_is_clear_of_the_table(twin: Episode) -> None:
    clear = lowest(twin, "box") - top(twin, "table") > 1 * MM
    picked_up = time_of(twin, "picked_up")
    after_grasp = np.flatnonzero(twin.seconds > time_of(twin, "grasped"))
    lasting = [
        twin.seconds[i]
        for i in after_grasp
        if clear[(twin.seconds >= twin.seconds[i]) & (twin.seconds <= twin.seconds[i] + 0.1)].all()
    ]
    # The observer looks a hundred times a second.
    assert lasting[0] == pytest.approx(picked_up, abs=0.0101)
    assert not at(twin, clear, picked_up - 0.02)


def test_a_longer_wait_before_the_lift_delays_picked_up(tmp_path: Path) -> None:
    pause_ns = 2 * NS

    def wait(stamped: Stamped) -> list[Stamped]:
        return [moved(stamped, pause_ns if stamped[0] > (11.8 - BEGIN_S) * NS else 0)]

    longer = joint_states_only(RECORDED, tmp_path / "longer", wait, begin_ns=BEGIN_S * NS)
    twin = twin_run(SCENARIO, tmp_path / "run", source=longer, duration=15.5 - BEGIN_S)
    assert time_of(twin, "grasped") == pytest.approx(EXPECTED["grasped"] - BEGIN_S, abs=0.3)
    picked_up = EXPECTED["picked_up"] - BEGIN_S + 2.0
    assert time_of(twin, "picked_up") == pytest.approx(picked_up, abs=0.3)


def test_wrist_felt_the_weight_when_it_is_said(carrying: tuple[float, float]) -> None:
    assert carrying == (pytest.approx(12.36, abs=0.01), pytest.approx(24.68, abs=0.01))


def test_box_is_carried_while_the_wrist_feels_its_weight(
    twin: Episode, carrying: tuple[float, float]
) -> None:
    carried = time_of(twin, "picked_up"), time_of(twin, "released")
    assert overlap(carried, carrying) >= 0.96


def test_closed_gripper_would_not_do(
    closed: tuple[float, float], carrying: tuple[float, float]
) -> None:
    assert overlap(closed, carrying) < 0.95


def test_box_is_let_go_close_above_the_table(twin: Episode) -> None:
    clearance = lowest(twin, "box") - top(twin, "table")
    assert abs(at(twin, clearance, time_of(twin, "released"))) < 5 * MM
    (back,) = [h for h in twin.handovers if h.from_model == "holding"]
    assert abs(at(twin, clearance, back.time_ns / NS)) < 5 * MM


def test_held_box_is_never_pressed_into_the_table(twin: Episode) -> None:
    clearance = lowest(twin, "box") - top(twin, "table")
    assert clearance[while_held(twin)].min() > -3 * MM


def test_box_is_carried_through_the_air_in_between(twin: Episode) -> None:
    clearance = lowest(twin, "box") - top(twin, "table")
    between = (twin.seconds > time_of(twin, "picked_up")) & (
        twin.seconds < time_of(twin, "released")
    )
    assert clearance[between].max() > 50 * MM


def test_box_travels_what_the_endpoint_travelled(
    twin: Episode, recording: Recording, closed: tuple[float, float]
) -> None:
    times, position = recording.series(
        "/endpoint_pose", lambda m: (m.pose.position.x, m.pose.position.y)
    )
    ends = np.array([[np.interp(t, times, position[:, i]) for i in (0, 1)] for t in closed])
    endpoint = ends[1] - ends[0]
    assert endpoint == pytest.approx((0.001, 0.296), abs=3 * MM)
    box = twin.pose("box")
    travelled = box[-1, :2] - at(twin, box, time_of(twin, "grasped"))[:2]
    assert np.linalg.norm(travelled - endpoint) < 10 * MM
    assert np.linalg.norm(travelled - (0.001, 0.296)) < 10 * MM


def test_box_stays_where_the_gripper_let_go(twin: Episode, closed: tuple[float, float]) -> None:
    box = twin.pose("box")
    for moment in (closed[1], time_of(twin, "released")):
        assert np.linalg.norm(box[-1, :3] - at(twin, box, moment)[:3]) < 0.02
    hand = at(twin, twin.pose("right_hand"), closed[1])
    assert np.linalg.norm(box[-1, :2] - hand[:2]) < 0.02


def test_box_ends_upright(twin: Episode) -> None:
    assert tilt_degrees(twin.pose("box")[-1]) < 2.0


def test_box_ends_at_rest(twin: Episode) -> None:
    last_second = twin.seconds > twin.seconds[-1] - 1.0
    box = twin.pose("box")[last_second]
    assert np.linalg.norm(box[:, 7:10], axis=1).max() < 1 * MM
    assert np.linalg.norm(box[-1, :3] - box[0, :3]) < 1 * MM


@pytest.fixture(scope="module")
def velocity_window() -> float:
    """Over which time, in s, the rigid grasp estimates the hand's velocity."""
    plan = load_scenario(SCENARIO).plan("holding")
    assert plan is not None
    (window,) = [p for p in plan.cls().requests() if p.name == "velocity_window"]
    return float(plan.parameters.get("velocity_window", window.default))


def test_velocity_at_release_is_that_of_the_hand_over_fifty_milliseconds_or_more(
    twin: Episode, velocity_window: float
) -> None:
    assert velocity_window >= 0.05
    (back,) = [h for h in twin.handovers if h.from_model == "holding"]
    since = back.time_ns - velocity_window * NS - 1
    recent = (twin.times <= back.time_ns) & (twin.times >= since)
    fitted = np.polyfit(twin.seconds[recent], twin.pose("right_hand")[recent, :3], 1)[0]
    # The box is a millimetre away from the hand's origin, which turns.
    np.testing.assert_allclose(back.value.data[7:10], fitted, atol=5e-4)


def test_box_is_let_go_slowly(twin: Episode) -> None:
    (back,) = [h for h in twin.handovers if h.from_model == "holding"]
    assert np.linalg.norm(back.value.data[7:10]) < 0.05
    assert np.linalg.norm(back.value.data[10:13]) < 0.1


def test_box_is_short_and_fits_between_the_fingers(twin: Episode) -> None:
    length, width, _ = only_box(twin.layout.entity("box")).size
    assert length <= 0.060
    opened = 2 * (0.00325 + 0.020)  # between the inner faces of the tips
    assert width < opened
    rows = twin.near(int(np.searchsorted(twin.seconds, 11.0)))
    fingers = [i for i, e in enumerate(twin.layout.entities) if re.match("r_gripper_.*tip", e.name)]
    gaps = {int(row[1]): row[2] for row in rows if int(row[1]) in fingers}
    assert len(gaps) == 2, "both finger tips are beside the box before they close"
    assert all(0.0 < gap < 0.015 for gap in gaps.values())


def test_box_weighs_what_the_wrist_felt(twin: Episode) -> None:
    assert twin.layout.entity("box").mass == pytest.approx(0.8)


def test_scenario_knows_nothing_of_what_happens() -> None:
    text = SCENARIO.read_text(encoding="utf-8")
    assert not re.search("wrench|endpoint|action_tag|force", text)
    assert load_scenario(SCENARIO).file.source == "data://baxter_pnp_mcap"
    world = (ROOT / "worlds" / "baxter_table.sdf").read_text(encoding="utf-8")
    numbers = [float(n) for n in re.findall(r"\d+\.?\d*(?:e-?\d+)?", text + world)]
    assert not [n for n in numbers if 10.5 < n < 25.5]
    triggers = load_scenario(SCENARIO).triggers
    assert all(isinstance(trigger.on, OnEvent) for trigger in triggers)


def after_silence(stamped: Stamped) -> list[Stamped]:
    """Joints that are first heard of later; another topic was there from the beginning."""
    return [moved(stamped, LATER_S * NS)]


def only_logged_later(stamped: Stamped) -> list[Stamped]:
    """Played into a recorder later, with the stamps of the first recording."""
    return [(stamped[0] + LATER_S * NS, stamped[1])]


class AfterRest:
    """The first message of each driver, again and again, before everything else."""

    def __init__(self) -> None:
        self._begun: set[tuple[str, ...]] = set()

    def __call__(self, stamped: Stamped) -> list[Stamped]:
        names = tuple(stamped[1].name)
        later = [moved(stamped, LATER_S * NS)]
        if names not in self._begun:
            self._begun.add(names)
            later += [moved(stamped, k * NS // 50) for k in range(50 * LATER_S)]
        return later


@pytest.mark.parametrize(
    ("change", "begin_s", "last"),
    [
        pytest.param(AfterRest(), 0, "put_down", marks=pytest.mark.long),
        (after_silence, BEGIN_S, "picked_up"),
        (only_logged_later, BEGIN_S, "picked_up"),
    ],
)
def test_events_move_with_the_recording(
    tmp_path: Path, twin: Episode, change: Change, begin_s: int, last: str
) -> None:
    marker = not isinstance(change, AfterRest)
    later = joint_states_only(
        RECORDED, tmp_path / "later", change, marker=marker, begin_ns=begin_s * NS
    )
    by = LATER_S - begin_s
    until = time_of(twin, last) + by + 0.5
    shifted = twin_run(SCENARIO, tmp_path / "run", source=later, duration=until)
    names = [*EXPECTED, "put_down"]
    for name in names[: names.index(last) + 1]:
        late = 0.03 if make_engine().deterministic else 0.2  # Gazebo differs from run to run
        assert times_of(shifted, name) == [pytest.approx(time_of(twin, name) + by, abs=late)]


def test_open_gripper_grasps_nothing(tmp_path: Path) -> None:
    def hold_open(stamped: Stamped) -> list[Stamped]:
        opened = FINGER in stamped[1].name
        return [with_position(stamped, FINGER, 0.02) if opened else stamped]

    held_open = joint_states_only(RECORDED, tmp_path / "open", hold_open, begin_ns=BEGIN_S * NS)
    twin = twin_run(
        SCENARIO, tmp_path / "run", source=held_open, duration=BEFORE_AND_AFTER_THE_GRASP_S
    )
    assert [e.name for e in twin.events if e.source != "robot_health"] == []
    assert not twin.handovers


@pytest.mark.parametrize("aside", [(0.2, 0.0), (0.0, 0.2)])
def test_box_elsewhere_is_not_grasped(
    tmp_path: Path, twin: Episode, grasp: Path, aside: tuple[float, float]
) -> None:
    pose = twin.pose("box")[0, :7] + np.array([*aside, 0, 0, 0, 0, 0])
    elsewhere = twin_run(
        SCENARIO,
        tmp_path / "run",
        source=grasp,
        scene={"box": {"pose": pose.tolist()}},
        duration=BEFORE_AND_AFTER_THE_GRASP_S,
    )
    box = elsewhere.pose("box")[0, :2]
    assert box == pytest.approx(twin.pose("box")[0, :2] + aside, abs=1 * MM)
    assert times_of(elsewhere, "grasped") == []
    assert not elsewhere.handovers


def test_swapped_wrist_joints_are_noticed(tmp_path: Path, grasp: Path) -> None:
    text = SCENARIO.read_text(encoding="utf-8")
    source = f"{{recording: {grasp}, joints: {{right_w0: right_w2, right_w2: right_w0}}}}"
    scenario = tmp_path / "swapped.yaml"
    scenario.write_text(text.replace("data://baxter_pnp_mcap", source), encoding="utf-8")
    swapped = twin_run(scenario, tmp_path / "run", duration=BEFORE_AND_AFTER_THE_GRASP_S)
    assert times_of(swapped, "grasped") == []
    assert times_of(swapped, "picked_up") == []
