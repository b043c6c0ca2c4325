"""Every command and every piece of code in README and docs does what they say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.ros_domains import new_domain

from hetwin_core.ensemble.scenario import strict_yaml
from hetwin_core.ensemble.scenario.source import LiveSpec, RecordingSpec
from hetwin_core.ensemble.triggers.schema import TriggerEntry

ROOT = Path(__file__).resolve().parents[2]
COMPANIONS = [ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY")]
PAGES = [*COMPANIONS, *sorted((ROOT / "docs").glob("*.md")), ROOT / "benchmarks/README.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


def blocks(language: str) -> list[tuple[str, str]]:
    """(page, text) of all code blocks in a language."""
    return [
        (page.name, text)
        for page in PAGES
        for found, text in BLOCK.findall(page.read_text(encoding="utf-8"))
        if found == language
    ]


def commands() -> list[str]:
    """All console commands, once each, in the order in which a reader meets them."""
    lines = [line for _, text in blocks("console") for line in text.splitlines()]
    return list(dict.fromkeys(line.removeprefix("$ ") for line in lines if line.startswith("$ ")))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks like the repository and takes what the commands write."""
    path = tmp_path_factory.mktemp("repository")
    for entry in ROOT.iterdir():
        if not entry.name.startswith("."):
            (path / entry.name).symlink_to(entry)
    return path


def test_there_are_commands_to_test() -> None:
    assert len(commands()) >= 5


@pytest.mark.parametrize("command", commands())
def test_command_works(command: str, folder: Path, tmp_path: Path) -> None:
    words = shlex.split(command)
    if words[0] == "make":
        done = subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return
    if words[0] in ("git", "cd"):
        return
    if words[0] == "hetwin":
        words = [sys.executable, "-m", "hetwin_suite.cli.main", *words[1:]]
    elif words[0] == "python":
        words = [sys.executable, *words[1:]]
    if "run" in words and "--out" not in words:
        words += ["--out", str(tmp_path / "run")]
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "ROS_DOMAIN_ID": str(new_domain())},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_yaml_of_the_guide_fits_the_schema() -> None:
    for page, text in blocks("yaml"):
        if page != "scenarios.md":
            continue
        data = strict_yaml.parse(text, Path(page)).data
        if "source" in data:
            kind = LiveSpec if "live" in data["source"] else RecordingSpec
            kind.model_validate(data["source"])
        for trigger in data.get("triggers", []):
            TriggerEntry.model_validate(trigger)
