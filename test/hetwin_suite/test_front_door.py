"""What the front door exports: lists that a release may add to and not take from, each name described."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Annotated, get_origin

import pytest
from support.plugins import needs

import hetwin_suite
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.topics import Topic

MODULES = (
    *("command", "engine", "episode", "expressions", "model", "page", "robot", "runs"),
    *("harness", "shapes", "study", "tables", "viewer"),
)
HEAVY = ("PIL", "mujoco", "numpy", "jinja2", "pydantic", "rclpy", "rosbags")
LOADS_NOT = {
    "command": ("mujoco", "numpy", "jinja2", "rclpy", "rosbags"),
    "episode": ("jinja2", "rclpy"),
    "expressions": HEAVY,
    "model": ("PIL", "mujoco", "jinja2", "rclpy", "rosbags"),
    "runs": ("mujoco", "jinja2", "rclpy"),
    "tables": ("mujoco", "jinja2", "rclpy"),
    "viewer": ("mujoco", "jinja2", "rclpy"),
}
FOLDER = Path(hetwin_suite.__file__).parent


def home_of(name: str, module: str) -> str:
    """The module from which a module of the front door has a name."""
    for statement in ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom) and name in {
            a.asname or a.name for a in statement.names
        }:
            assert statement.module is not None
            return statement.module
    raise AssertionError(f"hetwin_suite.{module} does not import {name}")


@pytest.mark.parametrize("module", MODULES)
def test_each_name_of_a_module_is_there_and_described(module: str) -> None:
    door = importlib.import_module(f"hetwin_suite.{module}")
    assert len(door.__all__) == len(set(door.__all__))
    assert "::\n" in (door.__doc__ or ""), "its docstring has no example"
    undescribed = []
    for name in door.__all__:
        found = getattr(door, name)
        if isinstance(found, Topic):
            described = bool(found.about)
        elif inspect.isclass(found) or inspect.isfunction(inspect.unwrap(found)):
            described = bool(inspect.getdoc(found))
        else:
            options = found.__metadata__ if get_origin(found) is Annotated else ()
            described = any(getattr(part, "help", "") for part in options)
            described = described or described_below(name, home_of(name, module))
        undescribed += [] if described else [name]
    assert not undescribed


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_what_it_exports_and_nothing_else(module: str) -> None:
    tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom) and statement.module != "__future__"
        for alias in statement.names
    }
    assert imported == set(importlib.import_module(f"hetwin_suite.{module}").__all__)


def described_below(name: str, home: str) -> bool:
    """Whether a constant or an alias has a text of its own right below it in the module that it is from."""
    body = ast.parse(inspect.getsource(importlib.import_module(home))).body
    for statement, following in pairwise(body):
        targets = ast.walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ()
        if any(isinstance(t, ast.Name) and t.id == name for t in targets):
            return isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
    return False


@pytest.mark.parametrize("module", MODULES)
def test_its_example_runs(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = inspect.getdoc(importlib.import_module(f"hetwin_suite.{module}")) or ""
    example = re.findall(r"::\n\n((?:(?:    .*)?\n)+)", text + "\n")[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(inspect.cleandoc(example), f"hetwin_suite.{module}", "exec"), {})


@needs("hetwin_bauer2022")
@needs("hetwin_machines")
def test_names_that_were_here_are_found_with_a_warning_that_says_where() -> None:
    assert len(hetwin_suite._HOME) == 100  # with `run` and `Summary` the 102 of version 0.1
    for name, home in hetwin_suite._HOME.items():
        now = (
            rf"is now {home}.{name}; version 0.3 removes it here"
            if not home.startswith("hetwin_core")
            else "is replaced"
        )
        with pytest.warns(DeprecationWarning, match=now):
            found = getattr(hetwin_suite, name)
        assert found is getattr(importlib.import_module(home), name)


@pytest.mark.parametrize(
    ("name", "home", "extra"),
    [
        ("Watch", "hetwin_machines", "machines"),
        ("TwinAxis", "hetwin_bauer2022.mismatch", "examples"),
    ],
)
def test_a_name_that_another_package_has_now_says_what_installs_it(
    name: str, home: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, home, None)
    with (
        pytest.warns(DeprecationWarning, match=rf"is now {home}.{name}"),
        pytest.raises(BadInput, match=rf"hetwin-suite\[{extra}\]"),
    ):
        getattr(hetwin_suite, name)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(hetwin_suite.__file__).read_text(encoding="utf-8"))
    (block,) = [n for n in tree.body if isinstance(n, ast.If)]
    seen = {
        alias.name: statement.module
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if alias.asname == alias.name
    }
    assert seen == dict.fromkeys(hetwin_suite.__all__, "hetwin_suite.running.api")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'hetwin_suite' has no attribute 'Modle'"):
        _ = hetwin_suite.Modle  # type: ignore[attr-defined]


def loaded_by(statement: str) -> set[str]:
    """The packages that a statement loads in a process of its own."""
    command = [sys.executable, "-X", "importtime", "-c", statement]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = (line.rpartition("|")[2].strip() for line in done.stderr.splitlines())
    return {row.partition(".")[0] for row in rows}


def test_importing_it_loads_nothing_heavy() -> None:
    loaded = loaded_by("import hetwin_suite")
    assert "hetwin_suite" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("module", LOADS_NOT)
def test_a_module_loads_nothing_heavy_that_it_does_not_need(module: str) -> None:
    assert loaded_by(f"import hetwin_suite.{module}").isdisjoint(LOADS_NOT[module])
