"""Packages bring formats of files, viewers and readers of data sets; what is missing is named with its extra."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.hetwin_command import hetwin, refused
from support.packages import install
from support.ros_runs import toy
from support.small_run import SmallRun

from hetwin_core.ensemble import installed
from hetwin_core.ensemble.errors import BadInput
from hetwin_suite._commands.options import with_default_ports
from hetwin_suite.view.viewers import RequestedViewer, requested_viewers
from model_nodes.main_physics.sources.datasets import open_episode

MENU = """
from types import SimpleNamespace
from hetwin_suite.command import Result
from hetwin_suite.episode import DatasetEpisode, open_episode
import numpy as np

seen = []

def write(run, file):
    file.write_text(open_episode(run).scenario)
    return Result({"states": {str(file): 1}}, ["written"])

def follow(feed, hands, port):
    end = lambda: seen.append((feed.begun.name, feed.over.ended))
    return SimpleNamespace(told="the menu is at", address=f"menu:{port}", close=end)

def read(path, number):
    if path.suffix == ".shifts":
        return DatasetEpisode("a shift", "shift", ("arm",), np.zeros(1), np.zeros((1, 1)), (1.0,))
"""
POINTS = """
[hetwin.formats]
menu = menu_of_a_cafe:write

[hetwin.viewers]
menu = menu_of_a_cafe

[hetwin.datasets]
shifts = menu_of_a_cafe:read
"""


@pytest.fixture
def cafe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "packages", monkeypatch, "cafe", POINTS, menu_of_a_cafe=MENU)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite without any other package."""
    monkeypatch.setattr(installed, "installed", lambda group: [])


def test_a_format_of_a_package_is_written(cafe: None, small_run: SmallRun, tmp_path: Path) -> None:
    file = tmp_path / "today.menu"
    assert hetwin("show", small_run.out, "--out", file, "--json").json == {"states": {str(file): 1}}
    assert file.read_text() == "small <run> & co"
    refused(tmp_path, "show", small_run.out, "--out", "x.mp4", says=("--out", "X.menu", "X.rrd"))


def test_a_viewer_of_a_package_shows_a_run_until_it_is_over(cafe: None, tmp_path: Path) -> None:
    scenario = toy(tmp_path)
    done = hetwin("run", scenario, "--out", tmp_path / "out", "--viewer", "menu=7", "--no-page")
    assert done.code == 0, done.err
    assert "the menu is at menu:7\n" in done.out
    assert sys.modules["menu_of_a_cafe"].seen == [("toy", "recording")]


def test_viewers_are_asked_for_by_name_and_port() -> None:
    asked = requested_viewers(["menu", "wall=80"], 8765)
    assert [(one.name, one.port) for one in asked] == [
        ("menu", 0),
        ("wall", 80),
        ("foxglove", 8765),
    ]
    assert requested_viewers(None, None) == []
    for text in ("menu=x", "menu=-1", "menu=65536"):
        with pytest.raises(BadInput, match=r"--viewer: this is not a port; .*NAME=PORT"):
            requested_viewers([text], None)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("run a --foxglove", "run a --foxglove 8765"),
        ("run a --foxglove --hold", "run a --foxglove 8765 --hold"),
        ("run --foxglove a.yaml", "run --foxglove 8765 a.yaml"),
        ("run a --foxglove 0 --hold", "run a --foxglove 0 --hold"),
        ("run a --foxglove=9000", "run a --foxglove=9000"),
        ("run a", "run a"),
    ],
)
def test_the_port_may_be_left_out(words: str, found: str) -> None:
    assert with_default_ports(words.split()) == found.split()


def test_a_data_set_that_a_package_reads(cafe: None, tmp_path: Path) -> None:
    found = open_episode(tmp_path / "monday.shifts", 0)
    assert found is not None
    assert found.label == "a shift"


@pytest.mark.parametrize(
    ("out", "extra"), [("x.rrd", "rerun"), ("x.mcap", "foxglove"), ("tables", "tables")]
)
def test_a_format_that_is_not_installed_names_its_extra(
    alone: None, small_run: SmallRun, tmp_path: Path, out: str, extra: str
) -> None:
    says = ("--out", f'pip install "hetwin-suite[{extra}]"')
    refused(tmp_path, "show", small_run.out, "--out", tmp_path / out, says=says)


def test_a_viewer_that_is_not_installed_names_its_extra(alone: None) -> None:
    with pytest.raises(BadInput, match=r"--foxglove: no such viewer .*hetwin-suite\[foxglove\]"):
        RequestedViewer("--foxglove", "foxglove", 0).load()
    with pytest.raises(BadInput, match=r"--viewer: no such viewer is installed; found 'wall'"):
        RequestedViewer("--viewer", "wall", 0).load()


def test_data_sets_name_the_extra_of_what_reads_them(alone: None, tmp_path: Path) -> None:
    for name in ("demo.hdf5", "run.CSV"):
        (tmp_path / name).touch()
        for number in (0, None):
            with pytest.raises(BadInput, match=r'hetwin-suite\[datasets\]"'):
                open_episode(tmp_path / name, number)
    assert open_episode(tmp_path, None) is None
    with pytest.raises(BadInput, match="no such data set"):
        open_episode(tmp_path / "none.hdf5", 0)


def test_sql_names_its_extra(
    small_run: SmallRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "hetwin_sql.asking", None)
    says = ("SQL is in a package of its own", 'pip install "hetwin-suite[tables]"')
    refused(tmp_path, "ask", small_run.out, "--sql", "SELECT 1", says=says)
