"""The example package: what a user adds of their own, with the front door of hetwin alone."""

from __future__ import annotations

import ast
import json
import runpy
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import setuptools
import yaml
from support.packages import install
from support.plugins import in_examples, needs
from typer.testing import CliRunner

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import known_files
from hetwin_core.ensemble.scenario.scenario import find_scenario
from hetwin_suite import run
from hetwin_suite.cli.main import app
from hetwin_suite.episode import find_labelled, open_episode
from hetwin_suite.page import write_report
from model_nodes.main_physics.sources.factory import open_source

CAFE = Path(__file__).resolve().parents[2] / "examples" / "hetwin_cafe"
INSIDE = CAFE / "hetwin_cafe"
pytestmark = in_examples


def entry_points() -> dict[str, list[str]]:
    """Return the entry points that the package's setup.py names."""
    found: dict[str, Any] = {}
    given = pytest.MonkeyPatch()
    given.setattr(setuptools, "setup", lambda **words: found.update(words))
    given.chdir(CAFE)
    try:
        runpy.run_path(str(CAFE / "setup.py"))
    finally:
        given.undo()
    points: dict[str, list[str]] = found["entry_points"]
    return points


@pytest.fixture
def cafe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install the package as pip would; returns an empty folder."""
    points = "\n".join(f"[{group}]\n" + "\n".join(lines) for group, lines in entry_points().items())
    monkeypatch.syspath_prepend(CAFE)
    install(tmp_path / "site", monkeypatch, "hetwin-cafe", points)
    monkeypatch.chdir(tmp_path)
    known_files.cache_clear()
    return tmp_path


def said(*words: str) -> str:
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@needs("hetwin_testing")
@pytest.mark.parametrize("model", ["coffee:Coffee", "glass:Glass", "battery:Battery"])
def test_the_models_keep_the_contract(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from hetwin_testing import check_model

    monkeypatch.syspath_prepend(str(CAFE))
    results = check_model(f"hetwin_cafe.{model}")
    assert results
    assert [r for r in results if not r.ok] == []


def test_coffee_cools_glass_breaks_and_the_battery_drains(cafe: Path) -> None:
    summary = run("cafe", duration=3.4, out="run")
    events = {str(event["name"]): event for event in summary.events}
    arguments: dict[str, Any] = {name: event["arguments"] for name, event in events.items()}
    times = {name: float(str(event["time"])) for name, event in events.items()}
    assert arguments["broke"]["object"] == "glass"
    assert times["broke"] == pytest.approx(0.31, abs=0.03)  # 0.49 m of free fall
    assert arguments["fetch_a_broom"]["because_of"] == "table"
    assert times["battery_low"] < 1.5  # 20 W use up 30 J in 1.5 s, and the joints use some
    assert times["served_again"] == pytest.approx(3.1, abs=0.1)  # 60 K fall by 3 K
    assert said("bill", "run", "--price", "2") == "2 cups: 4.00\n"
    assert json.loads(said("bill", "run", "--json")) == {"cups": 2, "price": 7.0}
    page = write_report(summary.folder).read_text(encoding="utf-8")
    assert "<h2>Coffee</h2>" in page
    assert "How warm it is." in page


def test_a_source_of_its_own_moves_the_arm(cafe: Path) -> None:
    own = {"scenario": "greeting", "extends": "pick_and_place"}
    own |= {"source": {"installed": "wave", "arguments": {"times": 1, "angle": 0.3}}}
    (cafe / "greeting.yaml").write_text(yaml.safe_dump(own), encoding="utf-8")
    summary = run("greeting.yaml", out="greeting")
    assert summary.simulated_time == pytest.approx(1.0, abs=0.01)
    episode = open_episode(summary.folder)
    turned = episode.attribute("tabletop_arm", "joint_positions")
    wrist = turned[:, episode.layout.entity("tabletop_arm").joints.index("wrist_roll_joint")]
    assert wrist.max() - wrist[0] == pytest.approx(0.3, abs=0.02)


def test_wrong_arguments_of_a_source_are_named(cafe: Path) -> None:
    with pytest.raises(BadInput, match=r"source wave cannot be made: TypeError.*'often'.*source"):
        open_source({"installed": "wave", "arguments": {"often": 1}})


def test_episodes_of_its_own_kind_are_recorded_and_replayed(cafe: Path) -> None:
    said("record", "waves", "-n", "2", "--seed", "3", "--jobs", "1", "--out", "waves")
    first, second = find_labelled(cafe / "waves")
    assert first.label()
    assert 0.2 <= first.truth["angle"] <= 0.6
    assert first.truth["angle"] != second.truth["angle"]
    summary = run("cafe", source=first.folder, duration=0.5, out="replayed")
    (done,) = (event for event in summary.events if event["name"] == "wave")
    assert done["kind"] == "action"


def test_it_imports_the_front_door_only() -> None:
    for file in INSIDE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            folder, _, door = module.rpartition(".")
            ours = module.startswith(("hetwin_core", "hetwin_suite", "model_nodes"))
            is_door = folder == "hetwin_suite" and not door.startswith("_")
            assert not ours or module == "hetwin_suite" or is_door, module


def test_it_is_small() -> None:
    beside = ("commands", "page", "waving")
    lines = [line for name in beside for line in (INSIDE / f"{name}.py").read_text().splitlines()]
    assert len(lines) < 150


def test_the_package_installs_what_its_launch_file_needs(cafe: Path) -> None:
    assert find_scenario("cafe") == INSIDE / "scenarios" / "cafe.yaml"
    assert list((CAFE / "launch").glob("*.launch.py"))
    name = ET.parse(CAFE / "package.xml").findtext("name")
    assert (CAFE / "resource" / str(name)).is_file()
