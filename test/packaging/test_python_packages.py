"""Every kind of installation installs the same packages, and links of earlier builds are removed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.plugins import BESIDE

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["hetwin_core", "model_nodes", "conductor_node", "hetwin_suite"]


def listed(root: Path) -> list[str]:
    """The packages that CMake is told to install."""
    command = [sys.executable, "cmake/python_packages.py"]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip().split(";")


def test_cmake_installs_the_packages_of_the_wheel() -> None:
    found = listed(ROOT)
    assert found[: len(PACKAGES)] == PACKAGES
    installed = {ROOT / name for name in found[len(PACKAGES) :]}
    assert {folder.parent for folder in installed} == {manifest.parent for manifest in BESIDE}


@pytest.mark.parametrize("manifest", BESIDE, ids=lambda manifest: manifest.parent.name)
def test_a_package_beside_has_the_version_of_the_suite_and_a_readme(manifest: Path) -> None:
    suite = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    project = tomllib.loads(manifest.read_text())["project"]
    assert project["version"] == suite["version"]
    assert f"{suite['name']}=={suite['version']}" in project["dependencies"]
    assert (manifest.parent / project["readme"]).read_text().startswith("# ")
    extras = suite["optional-dependencies"].values()
    assert any(f"{project['name']}=={project['version']}" in extra for extra in extras)


def test_setup_py_installs_every_folder_of_them() -> None:
    code = "import python_packages as p; print(*p.all_packages())"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT / "cmake", check=True, capture_output=True, text=True)
    folders = {
        ".".join(file.parent.relative_to(ROOT).parts)
        for name in PACKAGES
        for file in (ROOT / name).rglob("*.py")
    }
    assert set(done.stdout.split()) == folders


def test_setup_py_installs_what_else_they_hold() -> None:
    command = [sys.executable, "-c", "import python_packages as p; print(*p.DATA)"]
    done = subprocess.run(command, cwd=ROOT / "cmake", check=True, capture_output=True, text=True)
    found = {
        file
        for name in PACKAGES
        for pattern in done.stdout.split()
        for file in (ROOT / name).glob(pattern)
    }
    page = ROOT / "hetwin_suite" / "view" / "page"
    sources = {page / name for name in ("package.json", "package-lock.json", "tsconfig.json")}
    held = {file for name in PACKAGES for file in (ROOT / name).rglob("*") if file.is_file()}
    left = {file for file in held - found - sources if file.suffix not in (".py", ".pyc", ".ts")}
    assert {file for file in left if "node_modules" not in file.parts} == set()


def test_links_of_earlier_builds_are_removed(tmp_path: Path) -> None:
    (tmp_path / "cmake").mkdir()
    shutil.copy(ROOT / "cmake" / "python_packages.py", tmp_path / "cmake")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    suite = tmp_path / "hetwin_suite"
    (suite / "cli").mkdir(parents=True)
    (suite / "ensemble").symlink_to("../ensemble")  # leads nowhere any more
    (suite / "model_nodes").symlink_to("../cmake", target_is_directory=True)
    assert listed(tmp_path) == PACKAGES
    assert sorted(path.name for path in suite.iterdir()) == ["cli"]
    assert (tmp_path / "cmake" / "python_packages.py").is_file()
