"""The same sources build with colcon, and what it installs is complete."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.plugins import MANIFESTS, ROOT


def _packages(manifest: Path) -> list[Path]:
    project = tomllib.loads(manifest.read_text())
    names = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    return [manifest.parent / name for name in names]


PACKAGES = [folder for manifest in MANIFESTS for folder in _packages(manifest)]
"""Folders of the packages of the suite, of plugins and of examples."""
SCRIPTS = sysconfig.get_path("scripts")
COLCON = shutil.which("colcon", path=os.pathsep.join([SCRIPTS, os.environ.get("PATH", "")]))

pytestmark = [
    pytest.mark.colcon,
    pytest.mark.skipif(COLCON is None, reason="colcon is not installed: pip install -e .[colcon]"),
    pytest.mark.skipif(
        importlib.util.find_spec("ament_package") is None and "AMENT_PREFIX_PATH" not in os.environ,
        reason="no ROS 2 to build against",
    ),
]


def _environment() -> dict[str, str]:
    kept = ("HOME", "LANG", "AMENT_PREFIX_PATH", "LD_LIBRARY_PATH", "CXX", "ROS_DOMAIN_ID")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    env["PATH"] = os.pathsep.join([SCRIPTS, os.environ["PATH"]])
    env.setdefault("AMENT_PREFIX_PATH", sys.prefix)
    return env


@pytest.fixture
def sourced(built: Mapping[str, str]) -> Mapping[str, str]:
    """The environment after sourcing what colcon installed, in the test's own ROS domain."""
    return {**built, "ROS_DOMAIN_ID": os.environ["ROS_DOMAIN_ID"]}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """What the shell's environment is after `colcon build` and sourcing what it installed."""
    workspace = tmp_path_factory.mktemp("workspace")
    (workspace / "src").mkdir()
    (workspace / "src" / "hetwin").symlink_to(ROOT)
    build = [
        *(str(COLCON), "--log-base", "log", "build", "--executor", "sequential"),
        # Python alone, for the sake of time; everything else as a user would build it.
        *("--cmake-args", "-DHETWIN_CPP_INTERFACES=OFF", f"-DPython3_EXECUTABLE={sys.executable}"),
    ]
    done = subprocess.run(
        build, cwd=workspace, env=_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    dump = ["bash", "-c", ". install/setup.bash >&2 && env -0"]
    shown = subprocess.run(
        dump, cwd=workspace, env=_environment(), capture_output=True, text=True, check=True
    ).stdout
    pairs = (entry.partition("=") for entry in shown.split("\0") if entry)
    return {name: value for name, _, value in pairs} | {"INSTALL": str(workspace / "install")}


def _python(code: str, env: Mapping[str, str]) -> str:
    # Elsewhere and without site packages' editable hook for us, so that only colcon's files are found.
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd="/", env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_interfaces_and_suite_are_colcons(sourced: Mapping[str, str]) -> None:
    code = (
        "import hetwin.msg, hetwin_core.ensemble.scene.values as values;"
        "from hetwin.msg import SceneState;"
        "print(hetwin.__file__); print(values.__file__)"
    )
    for file in _python(code, sourced).splitlines():
        assert Path(file).is_relative_to(sourced["INSTALL"])
        assert not Path(file).is_symlink()


def test_every_module_is_installed_as_a_file(sourced: Mapping[str, str]) -> None:
    (installed,) = Path(sourced["INSTALL"], "hetwin").glob("lib/python3*/*-packages")
    assert not [path for path in installed.rglob("*") if path.is_symlink()]
    for folder in PACKAGES:
        there = {path.relative_to(installed) for path in (installed / folder.name).rglob("*.py")}
        assert {path.relative_to(folder.parent) for path in folder.rglob("*.py")} == there
        assert (installed / folder.name / "py.typed").is_file()
    top = {path.parent.name for path in installed.glob("*/__init__.py")}
    assert top == {*(folder.name for folder in PACKAGES), "hetwin"}


def test_entry_points_are_found_in_what_colcon_installed(sourced: Mapping[str, str]) -> None:
    code = (
        "import importlib.metadata as m, os;"
        "path = [p for p in os.environ['PYTHONPATH'].split(':') if p.startswith(os.environ['INSTALL'])];"
        "found = [e for d in m.distributions(path=path) for e in d.entry_points];"
        "print(*sorted(f'{e.group}.{e.name}' for e in found if e.group.startswith(('hetwin.', 'pytest11'))))"
    )
    projects = [tomllib.loads(manifest.read_text())["project"] for manifest in MANIFESTS]
    declared = [
        f"{group}.{name}"
        for project in projects
        for group, points in project.get("entry-points", {}).items()
        for name in points
    ]
    assert _python(code, sourced).split() == sorted(declared)


def test_scenarios_of_examples_are_found(sourced: Mapping[str, str]) -> None:
    code = (
        "from hetwin_core.ensemble.scenario.scenario import find_scenario;"
        "names = ('pick_and_place', 'set_table', 'truck_unloading', 'home_lab');"
        "print(*map(find_scenario, names), sep=chr(10))"
    )
    files = [Path(line) for line in _python(code, sourced).splitlines()]
    assert all(file.is_relative_to(sourced["INSTALL"]) for file in files), files


def test_resources_are_in_share(sourced: Mapping[str, str]) -> None:
    code = "from hetwin_core.ensemble.resources import resource; print(resource('worlds'))"
    assert Path(_python(code, sourced)) == Path(sourced["INSTALL"], "hetwin/share/hetwin/worlds")


def test_the_scenarios_of_examples_are_found_as_the_launch_file_does(
    sourced: Mapping[str, str],
) -> None:
    code = (
        "from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario, scenario_names;"
        "[print(load_scenario(find_scenario(name)).path) for name in scenario_names()]"
    )
    found = {Path(line) for line in _python(code, sourced).splitlines()}
    assert all(path.is_relative_to(sourced["INSTALL"]) for path in found)
    shipped = (folder.glob("scenarios/*.yaml") for folder in (ROOT, *PACKAGES))
    assert {path.stem for path in found} == {path.stem for files in shipped for path in files}


@pytest.mark.parametrize("node", ["conductor", "model", "page"])
def test_nodes_are_executables_of_the_package(sourced: Mapping[str, str], node: str) -> None:
    executable = Path(sourced["INSTALL"], "hetwin/lib/hetwin", node)
    assert os.access(executable, os.X_OK)
    command = executable.read_text(encoding="utf-8").splitlines()[-1]
    modules = command.partition(" -m ")[2].split()[:-1]  # without "$@"
    assert len(modules) == 2
    _python(f"import {', '.join(modules)}", sourced)


def test_the_command_is_on_the_path(sourced: Mapping[str, str]) -> None:
    command = shutil.which("hetwin", path=sourced["PATH"])
    assert command is not None
    assert Path(command).is_relative_to(sourced["INSTALL"])
    done = subprocess.run(
        [command, "--help"], env=sourced, capture_output=True, text=True, check=True
    )
    assert "Usage" in done.stdout
