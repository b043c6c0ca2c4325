"""The script of the pages: its libraries are locked, and it is made anew when a source has changed."""

from __future__ import annotations

import graphlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.ros_domains import VARIABLE

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path("hetwin_suite") / "view" / "page"
BUILT = PAGE / "built" / "page.js"
_IMPORTED = re.compile(r'from "(\.{1,2}/[^"]+)";')


def bundle(root: Path, *options: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """Run the bundler of a checkout, by a Python that knows no other packages."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(root / "cmake" / "bundle_page.py"), *options],
        env={"PATH": path, VARIABLE: os.environ[VARIABLE]},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The sources of the script alone, with it made."""
    (tmp_path / "cmake").mkdir()
    shutil.copy(ROOT / "cmake" / "bundle_page.py", tmp_path / "cmake")
    left_out = shutil.ignore_patterns("node_modules")
    shutil.copytree(ROOT / PAGE, tmp_path / PAGE, ignore=left_out)
    return tmp_path


def test_the_lock_holds_every_library_and_names_no_host() -> None:
    text = (ROOT / PAGE / "package-lock.json").read_text()
    packages = json.loads(text)["packages"]
    wanted = json.loads((ROOT / PAGE / "package.json").read_text())
    for name, version in (wanted["dependencies"] | wanted["devDependencies"]).items():
        assert packages[f"node_modules/{name}"]["version"] == version
    assert all(package.get("integrity") for name, package in packages.items() if name)
    assert "resolved" not in text
    assert "http" not in text


def test_no_source_imports_in_a_circle() -> None:
    source = ROOT / PAGE / "src"
    files = {file: file.read_text(encoding="utf-8") for file in source.rglob("*.ts")}
    graph = {
        file: {(file.parent / f"{name}.ts").resolve() for name in _IMPORTED.findall(text)}
        for file, text in files.items()
    }
    assert set().union(*graph.values()) <= set(graph)
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_an_unchanged_script_needs_no_node(checkout: Path) -> None:
    done = bundle(checkout)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(checkout / BUILT)


def test_a_changed_source_needs_node_and_says_where_it_is_from(checkout: Path) -> None:
    with (checkout / PAGE / "src" / "main.ts").open("a") as file:
        file.write("// changed\n")
    done = bundle(checkout)
    assert done.returncode == 1
    assert "Node.js 20 or later with npm was not found" in done.stderr
    assert "pip install" in done.stderr
    assert bundle(checkout, "--if-possible").returncode == 0


def test_a_node_that_is_too_old_is_not_taken(checkout: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("node", "npm"):
        (tools / name).write_text("#!/bin/sh\necho v18.19.0\n")
        (tools / name).chmod(0o755)
    (checkout / BUILT).unlink()
    assert "was not found" in bundle(checkout, path=str(tools)).stderr
