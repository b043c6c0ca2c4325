"""The last lines of a run: what happened, the verdict, and the concerns that it rests on."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from hetwin_suite.cli import outcome
from hetwin_suite.cli.outcome import is_fine, missed_claims
from hetwin_suite.running.request import FinishedRun

GRIPS = {
    "claim": "grip",
    "subject": "hand",
    "checked": True,
    "holds": True,
    "from": ["finger positions"],
    "of": [],
    "spans": [[0.0, 1.0]],
    "why": None,
    "matters": True,
}
BASE = {
    **GRIPS,
    "claim": "base",
    "subject": "arm",
    "checked": False,
    "holds": None,
    "why": "no odometry",
    "matters": False,
}


def concern(severity: str, count: int = 1, to: float = 2.0) -> dict[str, Any]:
    return {
        "name": "link_touches",
        "severity": severity,
        "from": 1.0,
        "to": to,
        "arguments": {},
        "text": "arm touches table",
        "count": count,
    }


def lines(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    verdict: str,
    *concerns: dict[str, Any],
    **more: Any,
) -> list[str]:
    summary = {
        "scenario": "s",
        "ended": "recording",
        "simulated_time": 1.0,
        "wall_time": 1.0,
        "real_time_factor": 1.0,
        "error": None,
        "state": {},
        "failures": [],
        "events": [],
        "processes": [{"model": "robot_health", "pid": 1}],
        "concerns": concerns,
        "coverage": [GRIPS, BASE],
        "verdict": verdict,
        **more,
    }
    print("\n".join(outcome.lines(FinishedRun(summary, 0, folder))))
    return capsys.readouterr().out.splitlines()


def test_verdict_and_counts_and_each_concern(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    concerns = [
        concern("absurd", to=1.0),
        concern("warning", 3),
        concern("warning"),
        concern("note"),
    ]
    assert lines(capsys, tmp_path, "absurd", *concerns)[-5:] == [
        "  absurd: 1 absurd, 2 warnings, 1 note; grips checked; not checked: base (no odometry)",
        "    absurd: arm touches table, 1.000 s",
        "    warning: arm touches table (3 times), 1.000 s to 2.000 s",
        "    warning: arm touches table, 1.000 s to 2.000 s",
        "    note: arm touches table, 1.000 s to 2.000 s",
    ]


def test_a_fine_run_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = lines(capsys, tmp_path, "fine")[-1]
    assert said == "  fine: grips checked; not checked: base (no odometry)"


def test_a_run_that_nothing_watched_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = lines(capsys, tmp_path, "unchecked", coverage=[])
    assert said[-1] == "  unchecked: nothing was checked"


def test_required_claims_that_were_not_checked_or_do_not_hold(tmp_path: Path) -> None:
    touch = {**GRIPS, "claim": "touch", "subject": "arm", "holds": False}
    ended = FinishedRun({"coverage": [GRIPS, BASE, touch]}, 0, tmp_path)
    assert missed_claims(ended, ()) == []
    assert missed_claims(ended, ("grip",)) == []
    assert missed_claims(ended, ("base", "touch", "effort")) == [
        "base of arm: not checked (no odometry)",
        "touch of arm: does not hold",
        "effort: this run has no data to check it",
    ]


def test_equal_events_in_a_row_are_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def bump(time: float, source: str = "m", **arguments: Any) -> dict[str, Any]:
        given = {"object": "box", **arguments}
        return {
            "time": time,
            "name": "bumped",
            "kind": "model",
            "source": source,
            "arguments": given,
        }

    watched = bump(5.0, "robot_health", severity="warning")
    events = [bump(0.1 * n) for n in range(40)] + [bump(4.5, object="jug"), watched]
    assert lines(capsys, tmp_path, "fine", events=events)[1:3] == [
        "     0.000 s  box bumped (39 more until 3.900 s)",
        "     4.500 s  jug bumped",
    ]
    assert not any("warning" in line for line in lines(capsys, tmp_path, "fine", events=[watched]))


def test_touches_of_hands_are_not_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def touch(name: str, **more: Any) -> dict[str, Any]:
        known = {"link": "forearm", "object": "box", "depth": 0.001, "force": 9.0, **more}
        known |= {"from": 1.0, "to": 1.0} if name == "touch_ended" else {}
        about = {"kind": "model", "source": "robot_health"}
        return {"time": 1.0, "name": name, "arguments": known, **about}

    events = [touch("touched", hand="gripper"), touch("touched"), touch("touch_ended")]
    told = [line for line in lines(capsys, tmp_path, "fine", events=events) if "touched" in line]
    assert told == ["     1.000 s  forearm touched box, 1 mm inside, with 9 N"]


def test_only_a_fine_run_is_fine(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert not is_fine(FinishedRun({}, 0, tmp_path))
    assert is_fine(FinishedRun({"verdict": "fine"}, 0, tmp_path))
    assert not is_fine(FinishedRun({"verdict": "unchecked"}, 0, tmp_path))
    assert not is_fine(FinishedRun({"verdict": "doubtful"}, 0, tmp_path))


def test_events_that_the_same_screen_has_shown_are_not_listed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "screen").open("w") as screen, (tmp_path / "other").open("w") as other:
        monkeypatch.setattr("sys.stdout", screen)
        monkeypatch.setattr("sys.stderr", screen)
        assert outcome.one_screen()
        monkeypatch.setattr("sys.stderr", other)
        assert not outcome.one_screen()
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert not outcome.one_screen()
