"""Examples and plugins import the front door only, so that others could have built them."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = {
    file.parent.name: [f"examples/{file.parent.name}"]
    for file in sorted(ROOT.glob("examples/*/__init__.py"))
}
"""Example -> its folder."""
PLUGINS = {
    folder.name: [f"plugins/{folder.name}/{folder.name}"]
    for folder in sorted(ROOT.glob("plugins/hetwin_*"))
}
"""Plugin -> its folder."""
PACKAGES = {"hetwin_core", "model_nodes", "conductor_node", "hetwin_suite"}


def files_of(package: str) -> Iterator[Path]:
    """The Python files of a plugin or an example."""
    for name in {**PLUGINS, **EXAMPLES}[package]:
        path = ROOT / name
        assert path.exists(), f"{package}: there is no {name}"
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def module_of(file: Path) -> str:
    """The dotted name of a file's module."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(file: Path) -> Iterator[tuple[int, str, str]]:
    """Line, module and name of all that a file imports of ours, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.lineno, node.module or "", alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, ""


@cache
def exported(module: str) -> frozenset[str]:
    """What a module of the front door exports; empty if it is none."""
    folder, _, name = module.rpartition(".")
    is_public = folder == "hetwin_suite" and not name.startswith("_")
    if not is_public or not (ROOT / "hetwin_suite" / f"{name}.py").is_file():
        return frozenset()
    return frozenset(importlib.import_module(module).__all__)


@pytest.mark.parametrize("package", [*PLUGINS, *EXAMPLES])
def test_it_imports_the_front_door_only(package: str) -> None:
    files = list(files_of(package))
    own = {module_of(file) for file in files}
    private = []
    for file in files:
        for line, module, name in imports(file):
            if (
                module.partition(".")[0] not in PACKAGES
                or module in own
                or f"{module}.{name}" in own
            ):
                continue
            if name in exported(module):
                continue
            private.append(f"{file.relative_to(ROOT)}:{line}: {name or module} of {module}")
    assert not private, "\n".join(private)
