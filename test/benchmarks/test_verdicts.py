"""The benchmark of verdicts: what is drawn is as its truth says, and what a run says is judged by that."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import verdicts as bench
from support.robot_recordings import needs
from verdict_cases import DRAWS, EFFORTS, FINGERS, PLAN, PUSHED, SHAPES, SILENT, Case, draw_case
from verdict_files import HAND, write_case
from verdict_judging import Judged, judge
from verdict_motions import PERIOD_S
from verdict_robots import KINDS, lab
from verdict_scenes import BOX, CLEAR, DEEP, TABLE

pytestmark = needs(".", robots=True)
WHOLE: dict[str, Any] = {
    "scenario": "made up",
    "ended": "recording",
    "simulated_time": 5.0,
    "wall_time": 1.0,
    "real_time_factor": 5.0,
    "verdict": "fine",
    "events": [],
    "state": {},
    "failures": [],
    "concerns": [],
    "error": None,
}


def drawn(kind: str, robot: str = "panda", *, whole: bool = True) -> Case:
    """The first case of a kind, with all inputs or without one."""
    for number in range(40):
        case = draw_case(kind, robot, (3, number))
        if whole is not bool(case.without):
            return case
    raise AssertionError("none was drawn")


def judged(case: Case, folder: Path, **said: Any) -> Judged:
    """How a run is judged that says this."""
    (folder / "summary.json").write_text(json.dumps({**WHOLE, **said}), encoding="utf-8")
    return judge(case, folder)


def event(name: str, at: float, **arguments: Any) -> dict[str, Any]:
    source = "robot_health"
    return {"name": name, "time": at, "kind": "model", "source": source, "arguments": arguments}


def claim(name: str, subject: str, *, checked: bool = True, holds: bool | None = True) -> Any:
    return {"claim": name, "subject": subject, "checked": checked, "holds": holds, "of": []}


def test_each_kind_is_in_the_plan_and_each_is_drawn_the_same_again() -> None:
    assert {kind for kind, _ in PLAN} == set(DRAWS)
    assert bench.RUNS >= 600
    one, other = (draw_case("slip", "panda", (5, 8)) for _ in range(2))
    assert np.array_equal(one.motion.positions, other.motion.positions)
    assert one.truth == other.truth


@pytest.mark.parametrize("robot", list(KINDS))
def test_a_link_that_is_planted_in_a_table_gets_there_after_the_start(robot: str) -> None:
    case = drawn("table", robot)
    distances = lab(robot).distances(case.motion.positions, case.scene[TABLE].box)
    deepest = {link: -float(row.min()) for link, row in distances.items()}
    assert {link for link, deep in deepest.items() if deep >= DEEP} == set(
        case.truth.touches[TABLE]
    )
    assert min(float(row[0]) for row in distances.values()) > CLEAR


@pytest.mark.parametrize(
    "robot", [pytest.param(k, marks=[pytest.mark.long] if k == "so101" else []) for k in KINDS]
)
def test_a_box_is_swept_by_the_arm_alone(robot: str) -> None:
    case = drawn("sweep", robot)
    box = lab(robot).distances(case.motion.positions, case.scene[BOX].box)
    shelf = lab(robot).distances(case.motion.positions[::2], case.scene[TABLE].box)
    assert not case.truth.touches[BOX].keys() & KINDS[robot].hand_links
    assert min(float(row.min()) for row in box.values()) <= -PUSHED
    assert min(float(row.min()) for row in shelf.values()) > CLEAR / 2


def test_nothing_is_near_in_a_clean_run() -> None:
    case = drawn("free", "ur5")
    for thing in case.scene.values():
        nearest = lab("ur5").distances(case.motion.positions, thing.box)
        assert min(float(row.min()) for row in nearest.values()) > CLEAR


def test_the_fingers_close_to_the_width_of_the_box_and_slip_without_opening() -> None:
    case = drawn("slip")
    at, width = case.truth.lost, case.scene[BOX].box.size[0]
    assert at is not None
    assert at == case.truth.dropped
    fingers = case.motion.positions[:, -1]
    held, later = int(case.truth.held[0] / PERIOD_S), int((at + 0.6) / PERIOD_S)
    assert fingers[held] == pytest.approx(width / 2, abs=5e-4)
    assert fingers[later] < fingers[held]
    assert (np.diff(fingers[held:later]) <= 1e-12).all()


def test_efforts_bear_the_arm_and_what_it_holds() -> None:
    robot = lab("panda")
    still = np.tile(np.array((*robot.kind.home, 0.04, 0.04)), (5, 1))
    alone = robot.efforts(still, PERIOD_S, np.zeros(5))
    loaded = robot.efforts(still, PERIOD_S, np.full(5, 1.0))
    reach = float(robot.point(still[0], robot.kind.hand[1])[0][0])
    assert abs(loaded[2, 1] - alone[2, 1]) == pytest.approx(9.81 * reach, rel=1e-3)
    assert loaded[2, 0] == pytest.approx(alone[2, 0], abs=1e-6)


def test_what_is_missing_is_not_written(tmp_path: Path) -> None:
    case = drawn("free")
    write_case(replace(case, without=frozenset({SHAPES})), tmp_path / "shapes")
    assert "<collision" not in (tmp_path / "shapes" / "robot.urdf").read_text()
    text = write_case(replace(case, without=frozenset({FINGERS})), tmp_path / "fingers").read_text()
    assert "grasp_monitor" not in text
    assert "panda_finger_joint1" not in text


def test_fine_over_what_is_planted_is_false(tmp_path: Path) -> None:
    for kind in ("unknown", "slip", "drop", "table", "sweep", "raises", "stopped", "early"):
        case = drawn(kind)
        assert judged(case, tmp_path).false_fine, kind
        assert not judged(case, tmp_path, verdict="doubtful").false_fine, kind
    free = drawn("free")
    assert not judged(free, tmp_path).false_fine
    assert judged(replace(free, without=frozenset({SHAPES})), tmp_path).false_fine
    assert not judged(replace(free, without=frozenset({EFFORTS})), tmp_path).false_fine


def test_a_claim_that_holds_against_the_truth_is_false(tmp_path: Path) -> None:
    case = drawn("table")
    link = next(iter(case.truth.touches[TABLE]))
    rows = [claim("touch", link), claim("touch", "panda_link0")]
    found = judged(case, tmp_path, verdict="doubtful", coverage=rows)
    assert found.false_so == [f"touch of {link} holds"]
    state = {f"holding({HAND})": True}
    assert judged(case, tmp_path, state=state).false_so
    assert not judged(drawn("hold"), tmp_path, state=state).false_so


def test_a_denied_grip_is_not_so(tmp_path: Path) -> None:
    case = drawn("hold")
    denied = judged(case, tmp_path, state={f"holding({HAND})": False})
    assert len(denied.false_not_so) == 2, denied
    assert not judged(case, tmp_path, state={f"holding({HAND})": None}).false_not_so
    rows = [claim("grip", HAND, holds=False)]
    assert judged(case, tmp_path, coverage=rows).false_not_so


def test_what_slipped_was_not_released(tmp_path: Path) -> None:
    case = drawn("slip")
    at = case.truth.lost or 0.0
    released = [event("released", at + 0.2, object=BOX, hand=HAND)]
    assert judged(case, tmp_path, events=released).false_not_so
    said = [event("lost", at + 0.2, object=BOX), event("dropped", at + 0.5, object=BOX)]
    found = judged(case, tmp_path, verdict="doubtful", events=said)
    assert not found.false_not_so
    assert found.named == {"slip": True, "drop": True}


@pytest.mark.parametrize(("late", "named"), [(0.1, True), (0.6, False)])
def test_a_touch_is_named_with_link_object_and_time(
    tmp_path: Path, late: float, named: bool
) -> None:
    case = drawn("sweep")
    link, at = max(case.truth.touches[BOX].items(), key=lambda one: one[1])
    said = [event("touched", at + late, link=link, object=BOX, depth=0.003, force=None)]
    assert judged(case, tmp_path, events=said).named == {"touch": named}
    other = [event("touched", at, link="panda_link0", object=BOX, depth=0.003, force=None)]
    assert judged(case, tmp_path, events=other).named == {"touch": False}
    blind = replace(case, without=frozenset({SHAPES}))
    assert judged(blind, tmp_path, events=said).named == {}


def test_only_a_missing_input_excuses_that_nothing_was_checked(tmp_path: Path) -> None:
    case = drawn("free")
    rows = [claim(c, "panda") for c in ("touch", "grip", "time")]
    unseen = claim("effort", "panda_joint1", checked=False, holds=None) | {"why": "no efforts"}
    found = judged(case, tmp_path, coverage=[*rows, unseen])
    assert found.unseen == ["effort of panda_joint1: no efforts"]
    lacking = replace(case, without=frozenset({EFFORTS}))
    assert not judged(lacking, tmp_path, coverage=[*rows, unseen]).unseen
    seen = claim("effort", "panda_joint1")
    assert judged(lacking, tmp_path, coverage=[*rows, seen]).overseen
    assert judged(case, tmp_path).unseen == ["touch", "effort", "time", "grip"]
    bare = claim("touch", "panda_link8", checked=False, holds=None)  # has no shape
    assert not judged(case, tmp_path, coverage=[*rows, seen, bare]).unseen
    some = bare | {"of": ["panda_link8", "panda_link7"]}
    assert judged(case, tmp_path, coverage=[*rows, seen, some]).unseen
    base = claim("base", "panda", checked=False, holds=None)
    assert not judged(case, tmp_path, coverage=[*rows, seen, base]).unseen


def test_a_grip_on_what_the_scene_lacks_cannot_be_checked(tmp_path: Path) -> None:
    grip = claim("grip", "hand", checked=False, holds=None)
    rows = [grip, *(claim(c, "panda") for c in ("touch", "effort", "time"))]
    assert not judged(drawn("unknown"), tmp_path, coverage=rows).unseen
    assert judged(drawn("fetch"), tmp_path, coverage=rows).unseen


def test_what_has_landed_is_carried_no_longer(tmp_path: Path) -> None:
    case = drawn("fetch")
    marks = case.motion.marks
    for at, denied in ((marks["landed"] - 0.5, ["carried(box) is false"]), (marks["landed"], [])):
        truth = replace(case.truth, until=at, holds_at_end=True)
        found = judged(replace(case, truth=truth), tmp_path, state={"carried(box)": False})
        assert found.false_not_so == denied


def test_a_claim_is_not_checked_after_its_input_has_ended(tmp_path: Path) -> None:
    case = replace(drawn("early"), how=SILENT)
    rows = [
        claim(c, "panda") | {"spans": [[0.0, case.truth.until + 1.0]]} for c in ("touch", "grip")
    ]
    assert judged(case, tmp_path, coverage=rows).overseen == [
        f"touch of panda beyond {case.truth.until:.2f} s"
    ]


def test_the_finger_that_grips_is_no_alarm_and_a_link_that_touches_is(tmp_path: Path) -> None:
    case = drawn("fetch")
    finger = event("touched", 2.0, link="panda_leftfinger", object=BOX, depth=0.001, force=None)
    assert not judged(case, tmp_path, events=[finger]).alarms
    for link, thing in (("panda_link5", BOX), ("panda_leftfinger", TABLE)):
        wrong = event("touched", 2.0, link=link, object=thing, depth=0.001, force=None)
        assert judged(case, tmp_path, events=[wrong]).alarms


def test_intervals_are_wilson_s() -> None:
    low, high = bench.wilson(8, 10)
    assert low == pytest.approx(0.4902, abs=1e-4)
    assert high == pytest.approx(0.9433, abs=1e-4)
    assert bench.wilson(0, 0) == (0.0, 1.0)


def test_clean_runs_are_run_and_judged_and_wrong_ones_are_kept(tmp_path: Path) -> None:
    row = bench.measure(tmp_path, ("hold", "panda", 1, 8))
    assert row["clean"], row
    assert row["verdict"] == "fine"
    assert not row["alarms"], row
    assert (tmp_path / "0008_hold_panda" / "run").is_dir() is bool(row["unseen"])


@contextmanager
def heard_interrupts() -> Iterator[None]:
    """SIGINT is not ignored, as it is in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_run_that_is_stopped_is_judged_too() -> None:
    with heard_interrupts():
        row = bench.measure(None, ("stopped", "ur5", 1, 22))
    assert row["refusal"].startswith("KeyboardInterrupt")
    assert row["verdict"] != "refused"
