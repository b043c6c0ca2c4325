"""`hetwin learn`: what it learns from short drops, and what it refuses."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from support.hetwin_command import hetwin, refused

pytestmark = pytest.mark.skipif(
    find_spec("sklearn") is None, reason="the extra learn is not installed"
)
DROPS = "uncertain_environment"
WRONG = """
extends: {base}
triggers:
  - name: hot
    on: {{attribute: pose, entity: ball, above: 3}}
    do:
      - raise: {{event: too_far}}
"""


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two short drops, one of either label."""
    pytest.importorskip("hetwin_bauer2022")
    from support.short_drops import write_short_drop

    folder = tmp_path_factory.mktemp("labelled")
    for index, label in enumerate((True, False)):
        write_short_drop(folder / f"drop_{index + 1:04d}", index, label)
    return folder


def test_a_trigger_is_learned_for_a_scenario_that_passes_check(
    episodes: Path, tmp_path: Path
) -> None:
    out, keep = tmp_path / "learned.yaml", tmp_path / "kept"
    asked = ("learn", "thresholds", DROPS, "--trigger", "grasp_begins", "--episodes", episodes)
    asked = (*asked, "--cache", keep)
    said = hetwin(*asked, "--out", out, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert list(found) == ["yaml", "expressions", "held_out"]
    assert list(found["held_out"]) == ["of", "accuracy", "accuracy_before"]
    assert found["held_out"]["of"] == 2
    assert yaml.safe_load(out.read_text())["evaluators"]["target"] == found["expressions"][0]
    assert hetwin("check", out).code == 0
    assert len(list(keep.iterdir())) == 2
    assert json.loads(hetwin(*asked, "--json").out)["expressions"] == found["expressions"]
    assert "exists already" in hetwin(*asked, "--out", out).err


def test_successes_are_told(episodes: Path) -> None:
    said = hetwin("learn", "success", DROPS, "--episodes", episodes, "--json")
    assert said.code == 0, said.err
    for row in json.loads(said.out)["rows"]:
        assert row["low"] <= row["p"] <= row["high"]
        assert row["of"] > 0 or row["prior"]["from"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--trigger, --model"),
        (("--trigger", "grasp_begins", "--model", "in_hand"), "found 'both'"),
        (("--trigger", "grasp_beginns"), "grasp_begins"),
        (("--model", "spu"), "no such model"),
        (("--model", "physics"), "declares thresholds"),
        (("--trigger", "let_go"), "compares nothing with a number"),
        (("--trigger", "grasp_begins", "--label", "happy"), "happy"),
    ],
)
def test_what_cannot_be_learned_is_refused(
    episodes: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    refused(
        tmp_path, "learn", "thresholds", DROPS, "--episodes", episodes, *arguments, says=(words,)
    )


def test_a_trigger_on_a_value_is_refused(episodes: Path, tmp_path: Path) -> None:
    from hetwin_suite.runs import find_scenario

    file = tmp_path / "wrong.yaml"
    file.write_text(WRONG.format(base=find_scenario(DROPS)))
    asked = ("learn", "thresholds", file, "--episodes", episodes, "--trigger", "hot")
    refused(tmp_path, *asked, says=("wakes on a value",))


def test_episodes_of_one_label_are_refused(episodes: Path, tmp_path: Path) -> None:
    asked = ("learn", "thresholds", DROPS, "--trigger", "grasp_begins")
    asked = (*asked, "--episodes", episodes / "drop_0001")
    refused(tmp_path, *asked, says=("episodes of both labels",))


@pytest.mark.parametrize(
    "what", [("success", DROPS), ("thresholds", DROPS, "--trigger", "grasp_begins")]
)
def test_without_the_extra_it_is_named(
    episodes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    asked = ("learn", *what, "--episodes", episodes)
    refused(tmp_path, *asked, says=("scikit-learn", 'pip install "hetwin-suite[learn]"'))


def test_a_folder_without_episodes_is_refused(tmp_path: Path) -> None:
    asked = ("learn", "success", DROPS, "--episodes", tmp_path)
    refused(tmp_path, *asked, says=("no labelled episodes",))
