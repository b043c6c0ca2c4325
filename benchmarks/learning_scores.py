"""Scores thresholds that were learned, and forecasts of successes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import yaml
from forecast_scores import Scored, scores

from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.episodes.labelled import LabelledRecording
from hetwin_futures.successes import Row, success_of
from hetwin_learning.attempts import Attempt, attempts_in
from hetwin_learning.learn import learned_from, signed_bounds, to_moments
from hetwin_learning.learn_success import successes_in
from hetwin_learning.model_thresholds import ModelThresholds
from hetwin_learning.tree import accuracy_of
from hetwin_learning.trigger_thresholds import TriggerThresholds
from hetwin_suite._study.intervals import probability

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
MANY = 20
"""So many forecasts of a group are compared with what came about."""
Of: TypeAlias = ModelThresholds | TriggerThresholds


def wrong_scenario(file: Path, hand: Of, values: list[float]) -> Path:
    """Write a scenario with other thresholds than those that were set by hand."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = {"extends": str(hand.path), **hand.scenario_keys(values)}
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return file.resolve()


def threshold_row(
    name: str, wrong: Of, hand: Of, seen: Sequence[Any], labels: Sequence[bool], learned: int
) -> dict[str, Any]:
    """Learn from the first episodes, beginning with wrong thresholds, and judge the others.

    Args:
        name: of the row.
        wrong: the thresholds that are begun with.
        hand: those that were set by hand.
        seen: of all episodes.
        labels: of them.
        learned: from how many is learned.
    """
    found = learned_from(wrong, seen[:learned], labels[:learned])
    file = wrong.path.with_name(f"learned_{wrong.path.name}")
    file.write_text(found.yaml(), encoding="utf-8")
    present, by_hand = wrong.thresholds(), hand.thresholds()
    moments, others = to_moments(seen[learned:], len(present)), labels[learned:]
    values = [one.signed(value) for one, value in zip(present, found.values, strict=True)]
    learned_values = np.array(values, float)
    bounds = {
        "before": signed_bounds(present),
        "learned": learned_values,
        "by_hand": signed_bounds(by_hand),
    }
    right = {key: round(accuracy_of(moments, others, one), 4) for key, one in bounds.items()}
    return {
        "begun_with": name,
        "learned_from": {"of": learned, "yes": sum(labels[:learned])},
        "judged": {"of": len(others), "yes": sum(others)},
        "right": right,
        "thresholds": {one.name: value for one, value in zip(present, found.values, strict=True)},
        "passes_check": _passes_check(file),
    }


def _passes_check(file: Path) -> bool:
    command = [str(Path(sys.executable).with_name("hetwin")), "check", str(file)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def forecast_row(
    scenario: Scenario, episodes: Sequence[LabelledRecording], actions: Sequence[Any], half: int
) -> dict[str, Any]:
    """Learn from the first half how often actions succeed, and score forecasts of the second."""
    rows = successes_in(scenario, episodes[:half], actions[:half])
    can_fail = {row.action for row in rows if row.succeeded < row.of}
    scored = [
        Scored(_forecast(rows, can_fail, done), episode.label())
        for episode, done in zip(episodes[half:], actions[half:], strict=True)
    ]
    found = scores(scored, EDGES)
    many = [group for group in found["calibration"] if group["of"] >= MANY]
    return {
        "learned_from": half,
        **found,
        "calibrated": all(group["low"] <= group["mean"] <= group["high"] for group in many),
        "rows": [row.to_json() for row in rows if row.action in can_fail and row.of],
    }


def _forecast(rows: Sequence[Row], can_fail: set[str], actions: Sequence[Any]) -> float:
    """Return how probable it is that all actions succeed, from what is known when each begins."""
    planned = attempts_in(LabelledRecording(Path(), {"label": "success"}), actions)
    return prod(_success(rows, one) for one in planned if one.action in can_fail)


def _success(rows: Sequence[Row], one: Attempt) -> float:
    row = success_of(rows, one.action, one.inputs)
    return 1.0 if row is None else row.p


def kin_rows(
    scenario: Scenario,
    episodes: Sequence[LabelledRecording],
    actions: Sequence[Any],
    container: str,
) -> list[dict[str, Any]]:
    """Say from its kin how often a release into a container succeeds, and how often it did."""
    both = list(zip(episodes, actions, strict=True))
    others = [one for one in both if one[0].truth["container"] != container]
    rows = successes_in(scenario, [one for one, _ in others], [seen for _, seen in others])
    tried = [done for one in both for done in attempts_in(*one) if done.action == "release"]
    found = []
    for row in rows:
        if row.action != "release" or row.arguments.get("container") != container:
            continue
        came = [done.succeeded for done in tried if success_of([row], "release", done.inputs)]
        share = probability(sum(came), len(came))._asdict()
        found.append({**row.to_json(), "came_about": share if came else None})
    return found
