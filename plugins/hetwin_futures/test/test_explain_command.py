"""`hetwin explain`: with which change a run would have succeeded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.hetwin_command import hetwin, refused
from support.plugins import needs


def run(out: Path, *arguments: str) -> Path:
    """A run of a shipped scenario, ended early."""
    said = hetwin("run", *arguments, "--no-page", "--json", "--out", out)
    assert said.code == 0, said.err
    return out


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that ends before anything is done."""
    out = tmp_path_factory.mktemp("short") / "run"
    return run(out, "pick_and_place", "--duration", "0.02")


def test_what_is_not_uncertain_is_refused(short: Path, tmp_path: Path) -> None:
    refused(tmp_path, "explain", short, "--change", "boxx", says=("--change", "boxx", "box"))


def test_why_no_future_was_tried_is_said(tmp_path: Path) -> None:
    scenario = tmp_path / "far.yaml"
    scenario.write_text(
        "extends: pick_and_place\nuncertainty:\n  table: {pose: {sigma: [0.01, 0.01, 0]}}\n"
    )
    out = run(tmp_path / "run", str(scenario), "--duration", "0.02")
    said = hetwin("explain", out, "--change", "table")
    assert said.code == 0, said.err
    why = "No future was tried: no object that moved came within 56 cm of table, so it matters to none where table is."
    assert said.out == f"{why}\n"


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, "explain", tmp_path, says=(str(tmp_path),))


def test_a_scenario_without_outcomes_is_refused(tmp_path: Path) -> None:
    scenario = tmp_path / "falling.yaml"
    scenario.write_text(
        "scenario: falling\nworld: worlds/tabletop.sdf\nrate: 100\n"
        "models: {physics: {type: main_physics, main: true}}\n"
    )
    out = run(tmp_path / "run", str(scenario), "--duration", "0.05")
    (tmp_path / "here").mkdir()
    refused(tmp_path / "here", "explain", out, says=("outcomes", "what success is"))


@pytest.mark.long
def test_nothing_mends_what_ends_too_early(short: Path) -> None:
    said = hetwin("explain", short, "--change", "box", "--json")
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    assert (found["found"], found["change"]) == (False, None)
    assert found["futures"]["finished"] == found["futures"]["asked"] > 40


@needs("hetwin_bauer2022")
@pytest.mark.long
def test_the_container_of_a_missed_drop_is_moved_to_where_the_ball_falls(tmp_path: Path) -> None:
    one = ("record", "drop", "--seed", "4242", "--episode", "10")
    assert hetwin(*one, "--out", tmp_path / "drops").code == 0
    (episode,) = (tmp_path / "drops").glob("drop_*")
    truth = json.loads((episode / "truth.json").read_text())
    assert truth["cause"] == "missed"
    container = truth["container"]
    said = hetwin("explain", episode, "--change", container, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    shift = found["change"]["shift"]
    assert found["change"]["entity"] == container
    assert 0.015 < np.linalg.norm(shift) < 0.06  # it fell 23 mm beside the rim
    assert found["change"]["p"] >= 0.9
    there = ("--shift", f"{container}={shift[0]},{shift[1]}")
    assert hetwin(*one, *there, "--out", tmp_path / "mended").code == 0
    (mended,) = (tmp_path / "mended").glob("drop_*")
    assert json.loads((mended / "truth.json").read_text())["label"] == "success"
