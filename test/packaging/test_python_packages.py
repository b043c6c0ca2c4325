"""Every kind of installation installs the same packages, and links of earlier builds are removed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["hetwin_core", "model_nodes", "conductor_node", "hetwin_suite"]


def listed(root: Path) -> list[str]:
    """The packages that CMake is told to install."""
    command = [sys.executable, "cmake/python_packages.py"]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip().split(";")


def test_cmake_installs_the_packages_of_the_wheel() -> None:
    assert listed(ROOT) == PACKAGES


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
