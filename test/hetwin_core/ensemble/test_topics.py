"""The names of a run's topics stand in one table."""

from __future__ import annotations

import ast
from pathlib import Path

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.topics import Topic

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("hetwin_core", "model_nodes", "conductor_node", "hetwin_suite")
ALL = [value for value in vars(topics).values() if isinstance(value, Topic)]
OURS = {topic.name for topic in ALL if "/" in topic.name or topic is topics.ANNOTATIONS}


def test_no_other_file_spells_them() -> None:
    names = OURS | {f"/{name}" for name in OURS}
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        if any(name in (text := file.read_text()) for name in OURS)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    spelled = [line for line in found if not line.startswith("hetwin_core/ensemble/topics.py")]
    assert len(found) - len(spelled) == len(OURS)
    assert not spelled


def test_no_topic_stands_there_twice() -> None:
    assert len({topic.name for topic in ALL}) == len(ALL)
    assert set(topics.LOGGED) <= set(ALL)
