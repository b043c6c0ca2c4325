"""Approaches and rules know what the robot has, and nothing else."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from support.plugins import benchmark
from support.recorded_episodes import an_insertion, two_drops, verdict_on_a_success

from hetwin_bauer2022.evaluation.approaches import APPROACHES
from hetwin_bauer2022.evaluation.episode_with_mismatches import write_with_mismatches
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode, find_episodes, read_episode
from hetwin_bauer2022.evaluation.judge import judge
from hetwin_bauer2022.evaluation.rules import THRESHOLDS, ObservedEpisode
from hetwin_bauer2022.mismatch import read_recording, write_recording
from hetwin_bauer2022.mismatch.registry import read_mismatches

pytestmark = pytest.mark.slow
HOLDING = ("ensemble", "rigid", "force")
"""Approaches in which another model than physics has the ball while the hand holds it."""
OPENED: list[list[str]] = []
"""Lists to which each opened file is added; audit hooks cannot be removed."""


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open":
        for paths in OPENED:
            paths.append(str(arguments[0]))


@contextmanager
def watched() -> Iterator[list[str]]:
    """Provide the list of the files that this process opens meanwhile."""
    paths: list[str] = []
    OPENED.append(paths)
    try:
        yield paths
    finally:
        OPENED.remove(paths)


@pytest.fixture(scope="module", autouse=True)
def hook() -> None:
    """Install the hook, once in a process."""
    sys.addaudithook(_hook)


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> list[LabelledEpisode]:
    """Two drops, one with each end."""
    return find_episodes(two_drops(tmp_path_factory))


DAILY = ("ensemble", "rule", "kinematic")
"""The others run with the long tests; they share the ensemble's way to its recording."""


@pytest.mark.parametrize(
    "approach",
    [pytest.param(a, marks=[] if a in DAILY else pytest.mark.long) for a in APPROACHES],
)
def test_a_verdict_needs_only_what_the_robot_has(
    approach: str,
    episodes: list[LabelledEpisode],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    episode = next(one for one in episodes if one.success)
    theirs = tmp_path / "bare"
    shutil.copytree(episode.recording, theirs / "recording")
    shutil.copy(episode.folder / "scene.json", theirs)
    lies = replace(episode, folder=theirs, success=False, cause="missed", margin=-1.0, held=False)
    said = verdict_on_a_success(tmp_path_factory, approach)
    assert said.success is not None, said.why
    assert (said.hand_backs > 0) is (approach in HOLDING), "what holds the ball gives it back"
    with watched() as paths:
        found = judge(lies, approach)
    assert (found.success, found.why) == (said.success, said.why)
    assert any(str(theirs) in path for path in paths), "the hook sees no files"
    below = [path for path in paths if str(theirs) in path and "recording" not in path]
    assert not below, "only the recording is read; the believed scene is given"
    assert not [path for path in paths if path.endswith(("truth.json", "distribution.json"))]


@pytest.mark.parametrize("approach", ["rule", "kinematic"])
def test_rules_are_given_the_worse_recording(
    approach: str,
    episodes: list[LabelledEpisode],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    episode = next(one for one in episodes if one.success)
    (mismatch,) = read_mismatches(["finger_offset=-0.3"])
    worse = write_with_mismatches(episode, [mismatch], tmp_path / "worse")
    assert verdict_on_a_success(tmp_path_factory, approach).success is True
    assert judge(worse, approach).success is False, "fingers that read closed hold nothing"


@pytest.mark.long
def test_the_rule_knows_how_far_an_insertion_has_come(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    episode = read_episode(an_insertion(tmp_path_factory))
    found = ObservedEpisode(episode).measured()
    truth = json.loads((episode.folder / "truth.json").read_text("utf-8"))
    higher = truth["drawn"]["socket_error"][2]
    assert found.first == pytest.approx(truth["short"] + higher, abs=0.005)
    assert judge(episode, "kinematic").success is episode.success


def test_a_finger_that_lets_go_late_delays_the_fall(
    episodes: list[LabelledEpisode], tmp_path: Path
) -> None:
    episode = next(one for one in episodes if one.success)
    (mismatch,) = read_mismatches(["hand_latency=0.2"])
    (tmp_path / "late").mkdir()
    late = write_with_mismatches(episode, [mismatch], tmp_path / "late")
    assert ObservedEpisode(late).opening() == pytest.approx(
        ObservedEpisode(episode).opening() + 0.2, abs=0.01
    )


@pytest.mark.parametrize("approach", ["rule", "kinematic"])
def test_rules_without_a_release_say_what_is_missing(
    approach: str, episodes: list[LabelledEpisode], tmp_path: Path
) -> None:
    silent = replace(read_recording(episodes[0].recording), others=[])
    (tmp_path / "silent").mkdir()
    write_recording(tmp_path / "silent" / "recording", silent)
    verdict = judge(replace(episodes[0], folder=tmp_path / "silent"), approach)
    assert verdict.success is None
    assert "`bind` and `release`" in verdict.why


def test_thresholds_name_seeds_that_are_not_judged() -> None:
    plan = yaml.safe_load(benchmark("boundary", "hetwin_bauer2022").PLAN.read_text("utf-8"))
    chosen = set(yaml.safe_load(THRESHOLDS.read_text("utf-8"))["seeds"].values())
    assert chosen == {one["chosen_on"] for one in plan["sets"].values()}
    judged = {one["judged_on"] for one in plan["sets"].values()}
    assert not chosen & judged
    assert all(isinstance(seed, int) for seed in judged)
