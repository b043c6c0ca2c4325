"""Names, versions and dependencies: said once, the same wherever they are read."""

from __future__ import annotations

import importlib.metadata
import shlex
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from support.plugins import MANIFESTS

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PACKAGE = ET.parse(ROOT / "package.xml").getroot()


ALWAYS = [e for tag in ("depend", "exec_depend") for e in PACKAGE.iter(tag) if not e.attrib]
"""What is needed everywhere."""


def setup_py(*arguments: str) -> str:
    command = [sys.executable, "setup.py", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_setup_py_reads_pyproject() -> None:
    assert setup_py("--name", "--version").split() == ["hetwin-suite", PROJECT["version"]]


def test_package_xml_has_the_same_version() -> None:
    assert PACKAGE.findtext("name") == "hetwin"
    assert PACKAGE.findtext("version") == PROJECT["version"]


def test_installed_metadata_is_that_of_the_checkout() -> None:
    assert importlib.metadata.version("hetwin-suite") == PROJECT["version"]
    scripts = importlib.metadata.entry_points(group="console_scripts", name="hetwin")
    assert {script.value for script in scripts} == {PROJECT["scripts"]["hetwin"]}


@pytest.mark.parametrize("group", PROJECT["entry-points"])
def test_entry_points_are_found_and_load(group: str) -> None:
    declared = PROJECT["entry-points"][group]
    found = importlib.metadata.entry_points(group=group)
    for name, target in declared.items():
        (entry,) = {entry for entry in found if entry.name == name}
        assert entry.value == target
        entry.load()  # raises if it is not there


def test_colcon_gets_the_same_entry_points(tmp_path: Path) -> None:
    script = ROOT / "cmake" / "write_metadata.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    written = {
        found.name: found for found in importlib.metadata.distributions(path=[str(tmp_path)])
    }
    assert len(written) == len(MANIFESTS)
    for manifest in MANIFESTS:
        project = tomllib.loads(manifest.read_text())["project"]
        found = written[project["name"]]
        assert found.version == project["version"]
        groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
        declared = {(group, *entry) for group, all_ in groups.items() for entry in all_.items()}
        assert {(entry.group, entry.name, entry.value) for entry in found.entry_points} == declared


NOT_ON_PYPI = {"launch", "launch_ros", "ros2launch", "simulation_interfaces", "tf2_msgs"}
"""What only a ROS 2 installation has; hetwin does without them where they are absent."""


def test_package_xml_and_pip_ask_for_the_same_ros_packages() -> None:
    requirements = [Requirement(text) for text in PROJECT["dependencies"]]
    from_pip = {r.name[4:].replace("-", "_") for r in requirements if r.name.startswith("ros-")}
    asked = {e.text for e in ALWAYS if e.text}
    from_ros = {name for name in asked if not name.startswith("python3-")}
    assert from_ros - NOT_ON_PYPI == from_pip


ROSDEP_KEYS = {"pil": "pillow", "yaml": "pyyaml"}
"""Keys of rosdep (python3-...) whose packages have other names on PyPI."""


def test_every_library_comes_from_rosdep_or_from_the_tutorials_pip() -> None:
    requirements = {Requirement(text).name: text for text in PROJECT["dependencies"]}
    needed = {name for name in requirements if not name.startswith("ros-")}
    keys = [e.text or "" for e in ALWAYS]
    from_rosdep = {k.removeprefix("python3-") for k in keys if k.startswith("python3-")}
    from_rosdep = {ROSDEP_KEYS.get(name, name) for name in from_rosdep}
    assert from_rosdep <= needed
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    lines = [line for line in tutorial.splitlines() if "-m pip install" in line]
    asked = [Requirement(word) for line in lines for word in shlex.split(line)[4:]]
    from_pip = {requirement.name for requirement in asked}
    assert needed - from_rosdep <= from_pip
    for requirement in asked:  # the same releases as pip install hetwin-suite would bring
        if requirement.name in requirements and str(requirement.specifier):
            assert str(requirement) == str(Requirement(requirements[requirement.name]))


def test_what_gazebo_needs_is_named_where_a_gazebo_goes_with_ros() -> None:
    conditions = {
        package.text: package.attrib["condition"]
        for package in PACKAGE.findall("exec_depend")
        if package.attrib
    }
    assert {"ros_gz_bridge", "ros_gz_sim", "gz_sim_vendor", "python3-protobuf"} <= {*conditions}
    assert {*conditions.values()} == {"$ROS_DISTRO == jazzy or $ROS_DISTRO == lyrical"}


def test_the_licence_is_the_one_that_is_declared() -> None:
    assert PACKAGE.findtext("license") == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert any("Apache" in classifier for classifier in PROJECT["classifiers"])
