"""Runs, episodes and checks from Python."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import toys
from support.plugins import needs

import hetwin_suite
from hetwin_core.episodes.run_folder import read_summary
from hetwin_suite.episode import open_episode
from hetwin_suite.running import watched

SCENARIO = """
scenario: small
rate: 10
models:
  physics: {{type: "support.toys:ToyPhysics", main: true, parameters: {{actions: [{{name: wave, at: 0.3}}]}}}}
  other: {{type: "support.{model}"}}
"""

Handler = Callable[[], object]


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    return written(tmp_path, "toys:ToyCup")


def written(folder: Path, model: str) -> Path:
    path = folder / "small.yaml"
    path.write_text(SCENARIO.format(model=model), encoding="utf-8")
    return path


def test_a_run_returns_its_summary_and_its_log_can_be_read(scenario: Path, tmp_path: Path) -> None:
    summary = hetwin_suite.run(scenario, duration=1.0, out=tmp_path / "run", seed=3)
    assert (summary.scenario, summary.error, summary.failures) == ("small", None, ())
    assert summary.simulated_time == pytest.approx(1.0)
    assert summary.log == tmp_path / "run" / "log"
    for place in (summary.log, summary.folder, str(summary.log)):
        episode = open_episode(place)
        assert episode.summary["digest"] == summary.digest
        assert np.all(np.diff(episode.times) > 0)


def test_a_summary_says_what_is_doubtful(scenario: Path, tmp_path: Path) -> None:
    fine = hetwin_suite.run(scenario, duration=1.0, out=tmp_path / "fine")
    assert (fine.verdict, fine.concerns) == ("unchecked", ())
    watched = scenario.read_text("utf-8").replace("toys:ToyPhysics", "watched_toy:WatchedToy")
    scenario.write_text(watched.replace("parameters: {", "parameters: {away: 0.5, "))
    odd = hetwin_suite.run(scenario, duration=1.0, out=tmp_path / "odd")
    assert odd.verdict == "absurd"
    assert "deviates" in {concern["name"] for concern in odd.concerns}


def test_nothing_is_printed_unless_asked_for(
    scenario: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hetwin_suite.run(scenario, duration=1.0, out=tmp_path / "quiet")
    assert capfd.readouterr() == ("", "")
    hetwin_suite.run(scenario, duration=1.0, out=tmp_path / "shown", progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "robot: wave" in err


@pytest.mark.parametrize("watched", [False, True])
def test_it_runs_in_any_thread_with_the_same_digest(
    scenario: Path, tmp_path: Path, watched: bool
) -> None:
    digests: list[str] = []

    def work() -> None:
        out = tmp_path / "thread"
        summary = hetwin_suite.run(scenario, duration=1.0, out=out, watched=watched)
        digests.append(summary.digest)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert digests == [hetwin_suite.run(scenario, duration=1.0, out=tmp_path / "main").digest]


def test_a_signal_ends_the_run_in_order_and_then_does_what_it_did_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def step(self: Any, tick: Any) -> Any:
        if tick.time_ns == 500_000_000:
            os.kill(os.getpid(), signal.SIGTERM)
        return toys_step(self, tick)

    toys_step = toys.ToyCup.step
    monkeypatch.setattr(toys.ToyCup, "step", step)
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
    try:
        out = tmp_path / "run"
        summary = hetwin_suite.run(written(tmp_path, "toys:ToyCup"), duration=9.0, out=out)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [signal.SIGTERM]
    assert summary.ended == "stopped"
    assert summary.simulated_time < 1.0


def test_interrupting_raises_keyboard_interrupt_once_the_log_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def step(self: Any, tick: Any) -> Any:
        if tick.time_ns == 500_000_000:
            os.kill(os.getpid(), signal.SIGINT)
        return toys_step(self, tick)

    toys_step = toys.ToyCup.step
    monkeypatch.setattr(toys.ToyCup, "step", step)
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a job in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            hetwin_suite.run(written(tmp_path, "toys:ToyCup"), duration=9.0, out=tmp_path / "run")
    finally:
        signal.signal(signal.SIGINT, before)
    assert open_episode(tmp_path / "run").summary["ended"] == "stopped"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"scenario": "no_such"}, "there is no such scenario"),
        ({"transport": "pigeon"}, "transport: no such transport; found 'pigeon'"),
        ({"out": "taken"}, "the folder already holds a run"),
    ],
)
def test_what_cannot_be_used_is_bad_input(
    scenario: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changed: dict[str, Any],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken" / "log").mkdir(parents=True)
    wanted: dict[str, Any] = {"scenario": scenario, "duration": 1.0, "out": "run", **changed}
    with pytest.raises(hetwin_suite.BadInput, match=says):
        hetwin_suite.run(**wanted)


@pytest.mark.parametrize(
    ("model", "watched", "says"),
    [
        ("stuck_models:Crashes", True, r"other: start failed at .*SIGSEGV"),
        ("broken_models:WrongSize", False, "other: step failed at "),
        ("broken_models:WrongSize", True, "other: step failed at "),
    ],
)
def test_a_failed_run_raises_and_leaves_its_log(
    tmp_path: Path, model: str, watched: bool, says: str
) -> None:
    out = tmp_path / "run"
    with pytest.raises(hetwin_suite.RunFailed, match=says) as caught:
        hetwin_suite.run(written(tmp_path, model), duration=1.0, out=out, watched=watched)
    assert caught.value.__notes__ == [f"log: {out / 'log'}"]
    assert (out / "log").is_dir()
    assert (out / "summary.json").is_file()


def test_a_process_that_dies_when_all_is_done_is_the_cause(
    scenario: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """As Gazebo's server may, when it ends; the stack of one thread says where."""
    monkeypatch.setattr(watched, "_picklable", lambda _summary: _crash())
    out = tmp_path / "run"
    with pytest.raises(hetwin_suite.RunFailed, match="SIGSEGV, when the run was over"):
        hetwin_suite.run(scenario, duration=0.2, out=out, watched=True)
    summary = read_summary(out)
    assert summary is not None
    assert (summary["ended"], summary["verdict"]) == ("failed", "failed")
    assert summary["digest"]
    assert capfd.readouterr().err.count("(most recent call first)") == 1


def _crash() -> None:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    ctypes.string_at(0)


@needs("hetwin_testing")
@pytest.mark.parametrize("model", [toys.ToyCup, "support.toys:ToyCup"])
def test_a_model_is_checked_by_class_or_by_name(model: str | type[hetwin_suite.Model]) -> None:
    from hetwin_testing import check_model

    results = check_model(model)
    assert len(results) > 5
    assert [r for r in results if not r.ok] == []
