"""Every example in the help of a command works as it stands there, in one folder, one after the other."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.hetwin_command import all_commands, hetwin
from support.learning_sets import write_lerobot
from support.pages import WITH_COMMANDS, commands
from support.plugins import needs, needs_of
from support.ros_domains import new_domain
from support.short_recordings import link_repository

TILL_PUT_DOWN, FIRST_MOVE = {"pick_and_place": 10.5}, {"pick_and_place": 2.5}
"""How much is kept of a shipped recording [s]: till the box is on the tray, and where runs are many."""
MANY_RUNS = "hetwin predict pick_and_place -n "
COMMANDS = all_commands()
EXAMPLE = re.compile(r"^\s*(?:Example: )?(hetwin .+)$", re.MULTILINE)
FIRST = ("run", "truck learn", "night")
"""Commands whose examples leave what those of others need."""
LIVE = "--source live"
ON_PAGES = {line for page in WITH_COMMANDS for line in commands(page)}
"""Commands that the test of the pages runs."""
WAITS = "--wait-for-twin"
"""An example that ends only together with a live run."""
OBEYS = "hetwin robot obey"
SHOWS = ("hetwin show runs/today --no-browser", "hetwin show runs/good")
"""Examples that end when they are interrupted."""

MINUTES = (
    *("hetwin record home_lab ", "hetwin truck learn ", "hetwin truck choose "),
    *("hetwin record lab_robot ", "hetwin run lab_robot ", "hetwin record insertion "),
    *(
        "hetwin truck plan small ",
        "hetwin learn success ",
        "hetwin learn fidelity ",
        "hetwin evaluate table2 ",
    ),
)
"""Examples that take more than a minute, or keep a core busy for ten seconds."""
OF_DROPS = re.compile(r"episodes/|labelled|uncertain_environment")
"""In examples that read recorded drops."""

pytestmark = [pytest.mark.slow, pytest.mark.random_order(disabled=True)]


def examples(command: str) -> list[str]:
    """The examples in a command's help."""
    return EXAMPLE.findall(COMMANDS[command].callback.__doc__ or "")


def in_order() -> list[str]:
    """Examples that run by themselves and are on no page, those first that leave something for others."""
    names = sorted(COMMANDS, key=lambda c: (FIRST.index(c) if c in FIRST else len(FIRST), c))
    found = [line for command in names for line in examples(command)]
    elsewhere = (LIVE, WAITS, OBEYS, *SHOWS)
    return [
        line
        for line in found
        if line not in ON_PAGES and not any(word in line for word in elsewhere)
    ]


@pytest.fixture(scope="module")
def brief(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks like the repository but has very short recordings."""
    path = tmp_path_factory.mktemp("brief")
    link_repository(path, FIRST_MOVE, without=("runs", "episodes"))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks like the repository but has short recordings, one of the user's own and one of a drop."""
    path = tmp_path_factory.mktemp("examples")
    link_repository(path, TILL_PUT_DOWN, without=("runs", "episodes"))
    if find_spec("hetwin_bauer2022"):
        write_drops(path)
    write_lerobot(path / "my_dataset")
    (path / "my_recording").symlink_to(path / "scenarios" / "episodes" / "pick_and_place")
    (path / "bags" / "arm").mkdir(parents=True)
    for name in ("metadata.yaml", "pick_and_place.mcap"):
        shutil.copy(path / "my_recording" / name, path / "bags" / "arm" / name)
    (path / "labels.csv").write_text("name,success\narm,yes\n")
    return path


def write_drops(folder: Path) -> None:
    """One drop to be replayed, and one of either label."""
    from support.short_drops import write_short_drop

    write_short_drop(folder / "episodes" / "drops" / "drop_0001", 0, True)
    write_short_drop(folder / "labelled" / "drop_0001", 0, True)
    write_short_drop(folder / "labelled" / "drop_0002", 1, False)


def marks_of(line: str) -> list[pytest.MarkDecorator]:
    """Whether an example takes long, and the packages of what it names."""
    found = [needs_of([line]), *([pytest.mark.long] if line.startswith(MINUTES) else [])]
    return [*found, needs("hetwin_bauer2022")] if OF_DROPS.search(line) else found


def begun(line: str, folder: Path, domain: int) -> subprocess.Popen[str]:
    """The process of an example."""
    words = shlex.split(line.partition(" > ")[0])
    return subprocess.Popen(
        [sys.executable, "-m", "hetwin_suite.cli.command", *words[1:]],
        cwd=folder,
        env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_an_example(command: str) -> None:
    assert examples(command)
    assert all(f"{line} ".startswith(f"hetwin {command} ") for line in examples(command))


@pytest.mark.parametrize(
    "line",
    [pytest.param(line, marks=marks_of(line)) for line in in_order()],
)
def test_the_example_works(
    line: str, folder: Path, brief: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(brief if line.startswith(MANY_RUNS) else folder)
    said = hetwin(*shlex.split(line.partition(" > ")[0])[1:])
    assert said.code == 0, said.err
    assert said.out


@pytest.mark.long
def test_the_examples_of_a_live_robot_work_together(folder: Path) -> None:
    lines = [line for command in COMMANDS for line in examples(command)]
    (live,) = (line for line in lines if LIVE in line)
    (robot,) = (line for line in lines if WAITS in line)
    domain = new_domain()
    played, followed = begun(robot, folder, domain), begun(live, folder, domain)
    try:
        _, err = followed.communicate(timeout=200)
        assert followed.returncode == 0, err
        out, err = played.communicate(timeout=60)
        assert "it is done" in out, err
    finally:
        for process in (played, followed):
            if process.poll() is None:
                process.kill()
                process.communicate()
