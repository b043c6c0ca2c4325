"""Importing a module by the name that it had before the packages were laid out anew."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from hetwin_suite import _moved

ROOT = Path(__file__).resolve().parents[2]

CASES = {
    "hetwin_suite.ensemble": "hetwin_core.ensemble",
    "hetwin_suite.ensemble.model": "hetwin_core.ensemble.model",
    "hetwin_suite.ensemble.values": "hetwin_core.ensemble.scene.values",
    "hetwin_suite.ensemble.scene": "hetwin_core.ensemble.scene.scene",
    "hetwin_suite.ensemble.transport.flat": "hetwin_core.ensemble.transport.step_codec",
    "hetwin_suite.projection.episode": "hetwin_core.episodes.episode",
    "hetwin_suite.projection.report.page": "hetwin_suite.view.report.page",
    "hetwin_suite.model_nodes.connector": "model_nodes.connector",
    "hetwin_suite.model_nodes.main_physics.sdf.reader": "model_nodes.main_physics.world.sdf.reader",
    "hetwin_suite.conductor_node.main": "conductor_node.main",
    "hetwin_suite.hetwin_cli.main": "hetwin_suite.cli.main",
}


@pytest.mark.parametrize(("old", "new"), CASES.items())
def test_an_old_name_fails_with_the_new_one(old: str, new: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"^{old} has moved: import {new} "):
        importlib.import_module(old)


@pytest.mark.parametrize(
    ("statement", "new"),
    [
        ("from hetwin_suite.ensemble.values import Value", "hetwin_core.ensemble.scene.values"),
        ("import hetwin_suite.model_nodes.connector as c", "model_nodes.connector"),
        ("from hetwin_suite import ensemble", "hetwin_core.ensemble"),
        ("from hetwin_suite.hetwin_cli import main", "hetwin_suite.cli"),
    ],
)
def test_every_form_of_an_import_names_it(statement: str, new: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"has moved: import {new} "):
        exec(statement)


def test_what_never_was_and_what_is_are_left_alone() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'hetwin_suite\.nothing'$"):
        importlib.import_module("hetwin_suite.nothing")
    assert _moved.new_name("ensemble.model") is None
    assert _moved.new_name("hetwin_suite.cli.main") is None
    assert importlib.import_module("hetwin_suite.proving_ground.motion") is not None


def test_every_new_name_is_a_module_of_this_checkout() -> None:
    lost = [
        (old, new)
        for old, new in _moved._MOVED.items()
        if not any(
            (ROOT / f"{new.replace('.', '/')}{ending}").is_file()
            for ending in (".py", "/__init__.py")
        )
    ]
    assert not lost


def test_the_changelog_lists_old_and_new_names() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    rows = [line.split("`")[1::2] for line in changelog.splitlines() if "| `hetwin_suite." in line]
    assert rows == [[f"hetwin_suite.{old}", new] for old, new in sorted(_moved._MOVED.items())]


def test_it_costs_nothing_to_have() -> None:
    code = (
        "import sys; before = set(sys.modules); import hetwin_suite._moved;"
        "print(*(m for m in set(sys.modules) - before if not m.startswith('hetwin_suite')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert set(done.stdout.split()) <= {"__future__", "types"}
