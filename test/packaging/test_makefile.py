"""The Makefile installs once, and again only if that is needed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = ("Makefile", "pyproject.toml", "hatch_build.py", "package.xml", "CMakeLists.txt")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What an installation is made from, and the mark that it was made."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    for name in FILES:
        shutil.copy(REPOSITORY / name, tmp_path)
    kept = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "cmake", tmp_path / "cmake", ignore=kept)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "installed").touch()
    return tmp_path


def is_installed(checkout: Path) -> bool:
    """Whether make regards the installation as up to date."""
    asked = subprocess.run(["make", "-q", ".venv/installed"], cwd=checkout, check=False)
    assert asked.returncode in (0, 1)
    return asked.returncode == 0


def change(path: Path, checkout: Path) -> None:
    """Give a path, and the folder that it is in, a time after that of the installation."""
    later_ns = (checkout / ".venv" / "installed").stat().st_mtime_ns + 1_000_000_000
    for changed in (path, path.parent):
        os.utime(changed, ns=(later_ns, later_ns))


def test_bytecode_of_the_installer_is_no_reason_to_install_again(checkout: Path) -> None:
    assert is_installed(checkout)
    for folder in ("cmake", "cmake/editable"):
        kept = checkout / folder / "__pycache__"
        kept.mkdir()
        change(kept, checkout)
    assert is_installed(checkout)


@pytest.mark.parametrize("name", ["pyproject.toml", "cmake/install_packages.py"])
def test_a_changed_source_is(checkout: Path, name: str) -> None:
    change(checkout / name, checkout)
    assert not is_installed(checkout)
