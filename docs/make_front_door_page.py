"""Writes ``docs/reference/front_door.md`` from the modules: ``python docs/make_front_door_page.py``."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import hetwin_suite

PAGE = Path(__file__).with_name("reference") / "front_door.md"
ORDER = (
    *(
        "model",
        "runs",
        "episode",
        "tables",
        "study",
        "robot",
        "source",
        "engine",
        "grasp",
        "shapes",
    ),
    *("gazebo", "page", "viewer", "wire", "command", "expressions", "testing"),
)
HEAD = """# The front door

<!-- Written by docs/make_front_door_page.py from the modules themselves. -->

What packages and scripts import of hetwin. The function `hetwin_suite.run` runs a scenario; everything else is in
one of these modules, which load nothing heavy that they do not need. Version numbers promise what is listed here, and
nothing else: within a major version no name is taken away or changes its meaning. Paths behind the front door may
change with each release.
"""
TAIL = """
Names that `hetwin_suite` itself exported before these modules are found there until version 0.3, with a warning that
says where they are.
"""


def modules() -> list[str]:
    """The modules of the front door."""
    found = {file.stem for file in Path(hetwin_suite.__file__).parent.glob("*.py")}
    return [name for name in ORDER if name in found]


def section(name: str) -> str:
    """The part of the page about a module."""
    module = importlib.import_module(f"hetwin_suite.{name}")
    title, _, text = (inspect.getdoc(module) or "").partition("\n")
    text = re.sub(r"::\n\n((?:(?:    .*)?\n)+)", _block, text + "\n").strip()
    text = re.sub(r"\]\((\w+\.md)", r"](../\1", text)
    names = ", ".join(f"`{one}`" for one in module.__all__)
    return f"## `hetwin_suite.{name}`\n\n{title}\n\n{text}\n\nNames: {names}.\n"


def _block(found: re.Match[str]) -> str:
    return f":\n\n```python\n{inspect.cleandoc(found[1])}\n```\n\n"


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *map(section, modules()), TAIL.lstrip()])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
