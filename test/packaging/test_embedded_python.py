"""The start-up hook of ROS 2's wheels does nothing in a program that embeds Python, such as `gz sim`."""

from __future__ import annotations

import shutil
import site
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "cmake" / "hetwin_embedded.pth"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site folder with a hook as in the wheels, which starts Python anew with the arguments of this process."""
    hook = tmp_path / "ros_wheels_bootstrapper"
    hook.mkdir()
    (hook / "__init__.py").write_text(
        "import os, sys\nos.execve(sys.executable, sys.orig_argv, {})\n"
    )
    (tmp_path / "ros_wheels_bootstrapper.pth").write_text("import ros_wheels_bootstrapper\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "ros_wheels_bootstrapper", raising=False)
    monkeypatch.setattr(sys, "orig_argv", [])  # as where Python is embedded
    return tmp_path


def test_without_ours_it_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site.addsitedir(str(folder))
    assert "must not be empty" in capsys.readouterr().err


def test_with_ours_it_does_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(OURS, folder)
    site.addsitedir(str(folder))
    assert capsys.readouterr().err == ""


def test_ours_leaves_a_python_alone_that_was_started_as_such(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "orig_argv", ["python"])
    monkeypatch.setattr(sys, "executable", str(folder / "missing"))
    shutil.copy(OURS, folder)
    site.addsitedir(str(folder))
    assert "No such file" in capsys.readouterr().err


def test_it_is_read_first_and_the_wheel_has_it() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    places = build["targets"]["wheel"]["force-include"]
    assert places == {str(OURS.relative_to(ROOT)): OURS.name}
    assert sorted([OURS.name, "ros_wheels_bootstrapper.pth"])[0] == OURS.name
