"""Every page's commands work when they are pasted, in order, into one shell of a clone that has run ``make demo``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.pages import ROOT, WITH_COMMANDS, commands
from support.plugins import needs, needs_of
from support.ros_domains import new_domain
from support.short_recordings import link_repository

AT_WORK_S = 300
BEGINNINGS = {"pick_and_place": 9.5}
"""How much is kept of the shipped recording [s]: till the box is on the tray."""
LONG = {
    *(
        "asking",
        "deciding",
        "experiment",
        "eyes",
        "fidelity",
    ),
    *("ci", "first_hour", "flaws", "fluid", "foxglove", "scenarios"),
    *(
        "fmu",
        "new",
        "night",
        "nodes_by_hand",
        "prediction",
        "robot_health",
        "ros_interface",
    ),
    *("digital_robot", "machines", "twin_lab", "use_cases"),
}
"""Pages whose shells take ten seconds and more, and what they show is tested elsewhere every day."""
PACKAGES = {
    "household": "hetwin_home",
}
"""Page -> the package whose files its commands need."""
PREPARED = """
set -eu -o pipefail
make() { command make -n "$@" > /dev/null && echo "make $*"; }
"""
"""What ``make`` installs is there already, and what it tests is being tested."""


ACTIVATION = "source .venv/bin/activate"


def marks_of(page: Path) -> list[pytest.MarkDecorator]:
    """Whether a page takes long, and the packages that it needs."""
    named = [needs(package) for name, package in PACKAGES.items() if name == page.stem]
    return [needs_of(commands(page)), *named, *([pytest.mark.long] if page.stem in LONG else [])]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like the repository after ``make demo``, which takes what the commands write.

    The shipped recordings are short in it; whole ones are replayed by the tests of the shipped scenarios.
    """
    path = tmp_path_factory.mktemp("clone")
    link_repository(path, BEGINNINGS, without=("runs", "episodes", "evaluation"))
    (path / ".venv").symlink_to(sys.prefix)
    return path


def test_the_readme_says_how_to_activate() -> None:
    assert ACTIVATION in commands(ROOT / "README.md")


def test_there_are_pages_with_commands() -> None:
    assert len(WITH_COMMANDS) >= 7


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.stem, marks=marks_of(page)) for page in WITH_COMMANDS],
)
def test_a_page_works_as_one_shell(page: Path, clone: Path) -> None:
    shown = commands(page)
    begin = [] if page.stem == "README" else [ACTIVATION]  # the README comes first
    script = PREPARED + "\n".join(
        f"echo; echo {_quoted('$ ' + line)}; {line}" for line in [*begin, *shown]
    )
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=clone,
        env=_as_a_newcomer(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=AT_WORK_S,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _as_a_newcomer() -> dict[str, str]:
    """The environment of a shell in which nothing was activated."""
    own = str(Path(sys.prefix) / "bin")
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "TERM")}
    path = [entry for entry in os.environ["PATH"].split(os.pathsep) if entry != own]
    return kept | {"PATH": os.pathsep.join(path), "ROS_DOMAIN_ID": str(new_domain())}
