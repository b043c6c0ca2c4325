"""`hetwin record`: what it refuses, what it prints, what it counts."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.hetwin_command import hetwin
from typer.testing import CliRunner

from hetwin_bauer2022 import episodes
from hetwin_bauer2022.distribution import distribution
from hetwin_bauer2022.episodes import Kind, record_episodes
from hetwin_bauer2022.recipe import Recipe
from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.cli.main import app


def summary(label: str, cause: str, margin: float, blocked: bool) -> dict[str, Any]:
    return {
        "label": label,
        "cause": cause,
        "container": "bin",
        "margin": margin,
        "blocked_until_release": blocked,
    }


DROPS = [
    summary("success", "", 0.05, True),
    summary("success", "", 0.01, True),
    summary("failure", "missed", -0.02, True),
    summary("failure", "never_held", -0.3, False),
]


def test_distribution_counts() -> None:
    found = distribution(DROPS)
    assert found["labels"] == {"failure": 2, "success": 2}
    assert found["causes"] == {"missed": 1, "never_held": 1}
    assert found["near_boundary"]["share"] == 0.5
    assert found["rule_blocked_means_success"]["accuracy"] == 0.75


def test_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "something").write_text("")
    with pytest.raises(BadInput, match=r"is not empty.*a new or empty folder"):
        record_episodes(Kind.DROP, 1, 1, tmp_path)
    with pytest.raises(BadInput, match="not a folder"):
        record_episodes(Kind.DROP, 1, 1, tmp_path / "something")
    with pytest.raises(BadInput, match="not a folder"):
        record_episodes(Kind.DROP, 1, 1, tmp_path / "something" / "below")


@pytest.mark.parametrize(("count", "seed", "jobs"), [(0, 1, 1), (1, -1, 1), (1, 1, 0)])
def test_numbers_that_are_too_small_are_refused(
    tmp_path: Path, count: int, seed: int, jobs: int
) -> None:
    with pytest.raises(BadInput, match="too small"):
        record_episodes(Kind.DROP, count, seed, tmp_path / "out", jobs)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments", [["juggle", "--out", "x"], ["drop"], ["drop", "--out"]])
def test_command_line_that_makes_no_sense_ends_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, ["record", *arguments]).exit_code == 2


class Noting:
    """Records nothing, but notes what it was asked for, in whichever process."""

    def __init__(self, notes: Path) -> None:
        self._notes = notes
        notes.mkdir()

    def __call__(
        self, folder: Path, recipe: Recipe, random: np.random.Generator, root: Path
    ) -> dict[str, Any]:
        assert (root / "urdf").is_dir()
        note = (folder.name, recipe, float(random.random()))
        (self._notes / f"{folder.parent.name}_{folder.name}").write_bytes(pickle.dumps(note))
        return DROPS[recipe.index % len(DROPS)]

    def noted(self) -> list[tuple[str, Recipe, float]]:
        """Name of the episode, recipe and first random number of each."""
        return [pickle.loads(file.read_bytes()) for file in sorted(self._notes.iterdir())]


def test_command_prints_and_writes_the_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = Noting(tmp_path / "notes")
    monkeypatch.setitem(episodes.RECORDERS, Kind.DROP, quick)
    out = tmp_path / "out"
    arguments = ["record", "drop", "-n", "4", "--seed", "9", "--out", str(out), "--json"]
    arguments += ["--jobs", "1"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    written = json.loads((out / "distribution.json").read_text())
    assert printed == {**written, "out": str(out)}
    assert written["causes"] == {"missed": 1, "never_held": 1}
    assert "3 of 4: drop_0003: failure, missed, bin, margin -20 mm" in result.stderr
    children = np.random.SeedSequence(9).spawn(4)
    drawn = [number for _, _, number in quick.noted()]
    assert drawn == [np.random.default_rng(child).random() for child in children]


def test_one_episode_of_a_seed_is_recorded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = Noting(tmp_path / "notes")
    monkeypatch.setitem(episodes.RECORDERS, Kind.DROP, quick)
    chosen = ["--episode", "3", "--near-rim", "0.01", "--shift", "bin=0.02,-1e-3", "--json"]
    again = ["record", "drop", "--seed", "9", "--out", str(tmp_path / "again"), *chosen]
    result = CliRunner().invoke(app, again)
    assert result.exit_code == 0, result.output
    ((name, recipe, first),) = quick.noted()
    assert (name, recipe.index, recipe.near_rim) == ("drop_0003", 2, 0.01)
    assert recipe.truth["shift"] == {"bin": [0.02, -0.001]}
    assert json.loads(result.stdout)["episodes"] == 1
    record_episodes(Kind.DROP, 4, 9, tmp_path / "all")
    _, *recipes = quick.noted()
    assert [name for name, _, number in recipes if number == first] == ["drop_0003"]
    assert len(recipes) == 4
    assert all(set(one.truth) == {"seed", "index"} for _, one, _ in recipes)


@pytest.mark.parametrize(
    ("kind", "option", "value", "said"),
    [
        ("drop", "--near-rim", "0", "--near-rim: .*expected metres, above 0"),
        ("drop", "--aim", "0.01", "not an aim.*found '0.01'.*INSIDE_M,BEARING_RAD"),
        ("drop", "--aim", "0.01,nan", "not an aim"),
        ("drop", "--aim", "3,0", "--aim: .*found 3.*metres, -0.2 to 0.2"),
        ("drop", "--shift", "bin=1", "not a shift.*found 'bin=1'.*NAME=X,Y"),
        ("drop", "--shift", "bin=nan,0", "not a shift"),
        (
            "drop",
            "--shift",
            "moon=0,0.1",
            "no such object to shift.*found 'moon'.*expected stand",
        ),
    ],
)
def test_aims_and_shifts_that_make_no_sense_are_refused(
    tmp_path: Path, kind: str, option: str, value: str, said: str
) -> None:
    new = tmp_path / "new"
    arguments = ["record", kind, "-n", "1", "--out", str(new), option, value]
    found = CliRunner().invoke(app, arguments)
    assert isinstance(found.exception, BadInput)
    assert re.search(said, str(found.exception))
    assert not new.exists()


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        *(("insertion", name) for name in ("--near-rim", "--aim", "--grasp", "--reality")),
        *(("home_lab", name) for name in ("--shift", "--friction", "--near-rim")),
        ("drop", "--friction"),
    ],
)
def test_each_kind_has_options_of_its_own(kind: str, option: str, tmp_path: Path) -> None:
    said = hetwin("record", kind, "--out", tmp_path / "new", option, "0.01")
    assert said.code == 2
    assert f"No such option: {option}" in said.err
    assert not (tmp_path / "new").exists()
