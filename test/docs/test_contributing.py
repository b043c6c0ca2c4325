"""What CONTRIBUTING.md and its companions say of the repository is so."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ANSWER = re.compile(r"^\| ([^|]+\?) \| `([^`|]+)` \|$", re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")
KEPT_OUT = (".venv/", "build/")
"""Folders that an installation or a build makes."""
REMOVABLE = ("examples/", "plugins/")
"""Folders without which the suite works."""


def paths() -> list[str]:
    """Every path that the guide names: code with a slash in it, and nothing that no path has."""
    found = dict.fromkeys(word for span in CODE.findall(GUIDE) for word in span.split())
    kept_out = (*KEPT_OUT, *(name for name in REMOVABLE if not (ROOT / name).is_dir()))
    return [
        word
        for word in found
        if re.fullmatch(r"[\w./-]+", word) and "/" in word and not word.startswith(kept_out)
    ]


def test_ten_questions_are_answered() -> None:
    assert len(ANSWER.findall(GUIDE)) == 10


@pytest.mark.parametrize(("question", "path"), ANSWER.findall(GUIDE))
def test_the_answer_is_there(question: str, path: str) -> None:
    assert (ROOT / path).exists(), f"{question} {path}"
    assert (ROOT / path).is_dir() == path.endswith("/")


@pytest.mark.parametrize("path", paths())
def test_every_path_is_there(path: str) -> None:
    if path.startswith(("examples/", "plugins/")) and not (ROOT / path.split("/")[0]).is_dir():
        pytest.skip(f"{path.split('/')[0]} are not here")
    placeholder = path.replace("NAME/", "")
    beside = ROOT / "model_nodes/main_physics/engines"
    assert (ROOT / placeholder).exists() or (beside / placeholder).exists()


def test_every_package_is_in_the_table() -> None:
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    for package in hatch["build"]["targets"]["wheel"]["packages"]:
        assert f"| `{package}/" in GUIDE, package


def test_every_make_target_that_is_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", GUIDE, re.MULTILINE))
    assert named
    assert named <= targets


def test_every_make_target_has_its_line_of_help() -> None:
    command = ["make", "--no-print-directory", "help"]  # make itself may be what runs the tests
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    listed = {line.split()[1] for line in done.stdout.splitlines()}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert listed == set(phony.split())


def test_citation_has_name_version_and_licence_of_the_project() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == "Apache-2.0"
    assert citation["repository-code"] == PROJECT["urls"]["Repository"]
    assert citation["message"]
    assert citation["authors"]


def test_hooks_before_a_commit_are_the_tools_of_the_project() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    (repository,) = yaml.safe_load(text)["repos"]
    assert repository["repo"] == "local"
    extra = " ".join(PROJECT["optional-dependencies"]["test"])
    for hook in repository["hooks"]:
        assert hook["language"] == "system"
        tool = hook["entry"].split()[0].removeprefix(".venv/bin/")
        assert tool in extra


def test_a_python_that_is_absent_is_skipped_in_words() -> None:
    command = ["make", "--no-print-directory", "test-python", "PYTHON=python3.99"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.strip() == "skipped: there is no python3.99 here"


def test_a_python_that_is_too_old_is_refused_with_what_is_needed(tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\necho 3.9\n", encoding="utf-8")
    old.chmod(0o755)
    command = ["make", "--no-print-directory", "test-python", f"PYTHON={old}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0
    assert f"{old} is Python 3.9; hetwin needs 3.11 to 3.14" in done.stderr


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_no_page_names_an_address_that_is_none() -> None:
    done = subprocess.run(
        ["git", "grep", "-lIE", r"[\w.]+@hetwin\.(org|com|io)"], cwd=ROOT, capture_output=True
    )
    assert done.stdout == b""


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_papers_are_cited_by_authors_and_year() -> None:
    pattern = r"(\bpaper [0-9]|the (first|second|third|fourth|fifth) paper)\b"
    command = ["git", "grep", "-nIiE", pattern, "--", ":!test/docs/test_contributing.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == ""


def test_every_citation_is_among_the_references() -> None:
    references = (ROOT / "docs/references.md").read_text(encoding="utf-8")
    cited = re.compile(r"\b([A-Z][\w-]+ (?:et al\.|and [A-Z]\w+))(?: \(|, )(20\d\d)\b")
    command = ["git", "ls-files", "*.py", "*.md", "*.yaml", "*.urdf"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = {
        f"{authors} ({year})"
        for name in done.stdout.splitlines()
        if (ROOT / name).exists()
        for authors, year in cited.findall((ROOT / name).read_text(encoding="utf-8"))
    }
    assert len(found) >= 2
    assert {citation for citation in found if f"**{citation}.**" not in references} == set()
