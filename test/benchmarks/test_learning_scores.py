"""The benchmark of learning scores forecasts, and begins with thresholds that are wrong."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from forecast_scores import Scored, group, scores

pytest.importorskip("hetwin_learning", reason="hetwin_learning is not installed")

from learning_scores import forecast_row, kin_rows, threshold_row, wrong_scenario

from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_core.episodes.labelled import LabelledRecording
from hetwin_learning.model_thresholds import ModelThresholds

pytestmark = pytest.mark.skipif(
    find_spec("sklearn") is None, reason="the extra learn is not installed"
)
DROPS = "uncertain_environment"


def test_forecasts_are_compared_with_what_came_about() -> None:
    scored = [Scored(0.9, True), Scored(0.9, True), Scored(1.0, False), Scored(0.1, False)]
    found = scores(scored, (0.0, 0.5, 1.0))
    assert found["brier"] == pytest.approx((0.01 + 0.01 + 1.0 + 0.01) / 4, abs=1e-4)
    assert found["brier_base"] == 0.25
    low, high = found["calibration"]
    assert (low["of"], low["share"]) == (1, 0.0)
    assert (high["of"], high["mean"]) == (3, pytest.approx(0.9333, abs=1e-4))
    assert group([], 0.0, 0.5)["mean"] is None


@pytest.mark.long
def test_cylinders_are_learned_from_ones_that_are_too_large(tmp_path: Path) -> None:
    hand = ModelThresholds(find_scenario("insertion"), None, "spu")
    wrong = ModelThresholds(
        wrong_scenario(tmp_path / "large.yaml", hand, [0.16, 0.07, 15.0]), None, "spu"
    )
    assert [one.value for one in wrong.thresholds()] == [0.16, 0.07, 15.0]
    labels = [number % 2 == 0 for number in range(20)]
    seen = [[[0.001, 0.002 if label else 0.04, 1.0]] for label in labels]
    row = threshold_row("large", wrong, hand, seen, labels, 12)
    assert row["right"] == {"before": 0.5, "learned": 1.0, "by_hand": 1.0}
    assert row["judged"] == {"of": 8, "yes": 4}
    assert row["passes_check"]
    learned = yaml.safe_load((tmp_path / "learned_large.yaml").read_text())
    assert 0.002 < learned["models"]["spu"]["parameters"]["lock_length"] < 0.04


def drop(number: int) -> tuple[LabelledRecording, list[dict[str, Any]]]:
    """A drop into the bin, or every fourth into the tray, that succeeds inside of the rim."""
    inside = (number % 10 - 5) / 100.0
    container = "tray" if number % 4 == 0 else "bin"
    arguments = {"hand": "right_hand", "container": container}
    entities, measured = ["container", "hand"], {"inside(container)": inside}
    action = {"action": "release", "arguments": arguments, "entities": entities}
    label = "success" if inside > 0.0 else "failure"
    truth = {"label": label, "container": container, "failed": "release"}
    return LabelledRecording(Path(), truth), [{**action, "measured": measured}]


def test_successes_are_foretold_and_a_container_without_episodes_starts_from_its_kin() -> None:
    episodes, actions = zip(*(drop(number) for number in range(160)), strict=True)
    scenario = load_scenario(find_scenario(DROPS))
    found = forecast_row(scenario, episodes, actions, 80)
    assert found["episodes"] == 80
    assert found["brier"] < 0.02 < found["brier_base"]
    rows = kin_rows(scenario, episodes, actions, "tray")
    assert {row["of"] for row in rows} == {0}
    assert {tuple(row["prior"]["from"]) for row in rows} == {("bin",)}
    assert sum(row["came_about"]["of"] for row in rows if row["came_about"]) == 40
