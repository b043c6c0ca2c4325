"""An editable installation imports the suite's packages from the repository, and no other folder of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from python_packages import EDITABLE_HOOK, ROOT, top_packages

PATH_FILE = "_hetwin_suite.pth"
"""The file that hatchling writes for `dev-mode-dirs`."""


@pytest.fixture
def site_folder(tmp_path: Path) -> Path:
    """A folder of packages with the files by which hatchling and the build hook install the suite."""
    (tmp_path / PATH_FILE).write_text(f"{EDITABLE_HOOK.parent}\n")
    shutil.copy(EDITABLE_HOOK, tmp_path)
    return tmp_path


def found(site_folder: Path, module: str) -> str:
    """Where a Python with this folder, and no other packages, finds a module."""
    code = (
        f"import site; site.addsitedir({str(site_folder)!r});"
        f"from importlib.util import find_spec; spec = find_spec({module!r});"
        "print(spec and spec.origin)"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, cwd="/", check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize("package", top_packages())
def test_the_packages_are_found(site_folder: Path, package: str) -> None:
    assert found(site_folder, package) == str(ROOT / package / "__init__.py")


@pytest.mark.parametrize("name", ["benchmarks", "cmake", "conftest", "launch", "setup", "support"])
def test_what_lies_beside_them_is_not(site_folder: Path, name: str) -> None:
    assert found(site_folder, name) == "None"


def test_its_start_imports_little(site_folder: Path) -> None:
    code = (
        f"import sys, site; before = {{*sys.modules}}; site.addsitedir({str(site_folder)!r});"
        "print(*sorted({*sys.modules} - before))"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, cwd="/", check=True, capture_output=True, text=True)
    packages = {name.partition(".")[0] for name in done.stdout.split()}
    assert "hetwin_editable" in packages
    assert packages <= {"hetwin_editable", "importlib", "warnings", "_warnings"}


def test_the_installation_reads_the_folder() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert build["dev-mode-dirs"] == [str(EDITABLE_HOOK.parent.relative_to(ROOT))]
    assert EDITABLE_HOOK.name > PATH_FILE  # Python reads them in this order
