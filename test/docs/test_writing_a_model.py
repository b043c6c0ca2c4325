"""The guide's model, scenario and script do what the guide says; a package written as it says is a model."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import warm_starts
from support.cli_runs import hetwin

from hetwin_suite.episode import open_episode

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "writing_a_model.md").read_text(encoding="utf-8")
OURS = {"hetwin_core", "model_nodes", "conductor_node", "hetwin_suite"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("guide")
    first, model = blocks("python")
    (scenario,) = blocks("yaml")
    (path / "coffee.py").write_text(first, encoding="utf-8")
    (path / "belt.py").write_text(model, encoding="utf-8")
    (path / "belt.yaml").write_text(scenario, encoding="utf-8")
    return path


def ours(code: str) -> list[ast.stmt]:
    """The statements that import something of ours."""
    return [
        node
        for node in ast.walk(ast.parse(code))
        if (isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in OURS)
        or (isinstance(node, ast.Import) and node.names[0].name.partition(".")[0] in OURS)
    ]


@pytest.mark.parametrize("block", [0, 1])
def test_a_model_begins_with_its_one_import(block: int) -> None:
    (statement,) = ours(blocks("python")[block])
    assert isinstance(statement, ast.ImportFrom)
    assert (statement.module, statement.lineno) == ("hetwin_suite.model", 1)


def test_the_first_model_is_short_and_so_is_the_page() -> None:
    assert len([line for line in blocks("python")[0].splitlines() if line.strip()]) <= 12
    assert len(GUIDE.splitlines()) <= 130


def test_the_belt_carries(folder: Path) -> None:
    (words,) = re.findall(r"`hetwin run belt.yaml ([^`]*)`", GUIDE)
    out = ("--no-page", "--json", "--out", folder / "belt_run")
    done = hetwin("run", folder / "belt.yaml", *words.split(), *out)
    handovers = done.json["handovers"]
    assert [(h["from"], h["to"]) for h in handovers] == [("physics", "belt"), ("belt", "physics")]
    assert [row["name"] for row in done.json["events"] if row["source"] == "belt"] == ["arrived"]
    episode = open_episode(folder / "belt_run")
    assert 0.7 - 0.02 < episode.pose("box")[-1, 0] < 0.8
    (arrived,) = [event for event in episode.events if event.name == "arrived"]
    expected_s = (0.7 - episode.pose("box")[0, 0]) / 0.2
    assert arrived.time_ns / 1e9 == pytest.approx(expected_s, abs=0.1)


@pytest.mark.parametrize("transport", ["local", "ros --in-process physics"])
def test_the_module_beside_the_scenario_is_found_from_anywhere(
    folder: Path, tmp_path: Path, transport: str
) -> None:
    ended = hetwin(
        *("run", folder / "belt.yaml", "--transport", *transport.split(), "--duration", 0.2),
        *("--no-page", "--json", "--out", tmp_path / "run"),
    )
    assert ended.json["ended"] == "recording"
    assert ended.json["handovers"][0]["to"] == "belt"


@pytest.mark.parametrize("model", ["coffee:Coffee", "belt:Belt"])
def test_a_model_in_the_working_folder_is_checked(folder: Path, model: str) -> None:
    command = [sys.executable, "-P", "-m", "hetwin_suite.cli.command", "model", "check", model]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_package_written_against_the_front_door_alone_passes_check_model(folder: Path) -> None:
    package = folder / "installed"
    (package / "my_belt").mkdir(parents=True)
    (package / "my_belt" / "__init__.py").write_text('"""A belt."""\n', encoding="utf-8")
    (package / "my_belt" / "model.py").write_text(blocks("python")[1], encoding="utf-8")
    metadata = package / "my_belt-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-belt\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[hetwin.models]\nbelt = my_belt.model:Belt\n")
    for model in ("belt", "my_belt.model:Belt"):
        command = [sys.executable, "-m", "hetwin_suite.cli.command", "model", "check", model]
        done = warm_starts.run(command, env={**os.environ, "PYTHONPATH": str(package)})
        assert done.returncode == 0, done.stdout + done.stderr
        assert "take and release: handed over: " in done.stdout


DOORS = rf"hetwin_suite\.({'|'.join(p.stem for p in (ROOT / 'hetwin_suite').glob('[a-z]*.py'))})"
"""The modules of the front door."""


@pytest.mark.parametrize(
    "file",
    sorted((ROOT / "examples" / "hetwin_cafe").rglob("*.py")),
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_a_strangers_package_uses_the_front_door_only(file: Path) -> None:
    modules = {
        getattr(node, "module", None) or node.names[0].name  # type: ignore[attr-defined]
        for node in ours(file.read_text(encoding="utf-8"))
    }
    assert all(module == "hetwin_suite" or re.fullmatch(DOORS, module) for module in modules)


def test_no_page_imports_from_deeper_than_the_front_door() -> None:
    deep = [
        f"{page.name}: {line}"
        for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
        for line in page.read_text(encoding="utf-8").splitlines()
        if re.match(
            rf"\s*(from|import) (?!{DOORS}\b)(hetwin_core|model_nodes|conductor_node|hetwin_suite\.)",
            line,
        )
    ]
    assert not deep
