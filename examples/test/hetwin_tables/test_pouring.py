"""The shipped scenario `pouring`: what the twin says is poured is what the stand-in's jug really poured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cli_runs import ROOT
from support.hetwin_command import hetwin
from support.kept_digests import check_digest
from support.twin_runs import time_of, twin_run

from hetwin_core.ensemble.scene.values import particles
from hetwin_core.episodes.episode import Episode

TRUTH = ROOT / "examples" / "hetwin_tables" / "scenarios" / "episodes" / "pouring_truth.json"


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Episode:
    return twin_run("pouring", tmp_path_factory.mktemp("pouring") / "run")


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(TRUTH.read_text(encoding="utf-8"))
    return found


def test_its_digest_is_the_recorded_one(twin: Episode) -> None:
    check_digest("pouring", twin.summary["digest"])


def test_as_many_arrive_in_the_bowl(twin: Episode, truth: dict[str, Any]) -> None:
    _, jug, bowl = truth["counts"][-1]
    assert twin.attribute("jug", "particle_count")[-1, 0] == pytest.approx(jug, abs=5)
    assert twin.attribute("bowl", "particle_count")[-1, 0] == pytest.approx(bowl, abs=5)


def test_they_leave_the_jug_when_they_really_did(twin: Episode, truth: dict[str, Any]) -> None:
    half_gone = next(time for time, jug, _ in truth["counts"] if jug < 25)
    counts = twin.attribute("jug", "particle_count")[:, 0]
    found = float(twin.seconds[np.argmax(counts < 25)])
    assert found == pytest.approx(half_gone, abs=0.25)
    assert time_of(twin, "empty") == pytest.approx(half_gone, abs=0.6)


def test_nothing_is_lost_on_the_way_to_the_pouring(twin: Episode) -> None:
    spilled = [e for e in twin.events if e.name == "spilled" and e.source == "water"]
    assert spilled[0].time_ns > 7e9
    assert sum(int(str(e.arguments["count"])) for e in spilled) == 50


def test_the_bowl_holds_what_it_caught(twin: Episode) -> None:
    there = particles(twin.attribute("bowl", "particles")[-1])
    assert len(there) == twin.attribute("bowl", "particle_count")[-1, 0]
    assert np.hypot(there[:, 0], there[:, 1]).max() < 0.06


@pytest.mark.long
def test_both_transports_agree(tmp_path: Path) -> None:
    """Over the first 0.3 s; fluids beside the main model, each in a process of its own."""
    digests = set()
    for transport in ("local", "ros"):
        given = ("--engine", "mujoco", "--transport", transport)
        given += ("--json", "--no-page", "--duration", "0.3")
        ended = hetwin("run", "pouring", *given, "--out", tmp_path / transport)
        digests.add(ended.json["digest"])
        assert ended.json["deterministic"] is True
    assert len(digests) == 1
