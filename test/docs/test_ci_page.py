"""The page on continuous integration: what it says to paste works as pasted."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from hetwin_core.ensemble.resources import resource

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    """The block of the page in a language that contains a text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    (found,) = [text for text in blocks if containing in text]
    return str(found)


def in_shell(lines: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", lines],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.long
def test_the_workflow_runs_as_pasted(tmp_path: Path) -> None:
    recording = resource("scenarios", "episodes", "pick_and_place")
    shutil.copytree(recording, tmp_path / "tests" / "bags" / "lift_1")
    (tmp_path / "tests" / "lifts.hetwin.yaml").write_text(block("yaml", "bags/lift_*"))
    (tmp_path / "tests" / "test_lifts.py").write_text(block("python", "twin: Twin"))
    steps = yaml.safe_load(block("yaml", "runs-on"))["jobs"]["twin"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    assert lines[0].startswith('pip install "hetwin-suite[testing]" ')  # done already
    for line in lines[1:]:
        done = in_shell(line, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    (suite,) = ET.parse(tmp_path / "junit.xml").iter("testsuite")
    assert {key: suite.attrib[key] for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "0",
        "errors": "0",
        "skipped": "0",
    }
    assert "4 passed" in (tmp_path / "pages" / "index.html").read_text()


@pytest.mark.skipif(
    importlib.util.find_spec("launch_testing") is None, reason="launch_testing is not installed"
)
def test_the_example_beside_launch_testing_passes(tmp_path: Path) -> None:
    (tmp_path / "test_launched.py").write_text(block("python", "launch_testing"))
    done = in_shell(f"{sys.executable} -m launch_testing.launch_test test_launched.py", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
