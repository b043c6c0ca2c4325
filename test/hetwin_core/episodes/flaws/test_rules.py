"""Rules are files of queries, of hetwin or of any package; a wrong one is named with its file and its key."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.flawed_tables import fetched

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.flaws.find import find_flaws
from hetwin_core.episodes.flaws.flaw import Flaw
from hetwin_core.episodes.flaws.rule import all_rules, read_rules

OWN = """
- kind: hasty
  about: a task is over in no time
  each: {task: all_tasks()}
  if:
    - task.operation == "carry"
    - task.to - task.from < 3.0
  from: task.from
  to: task.to
  entities: task.entities
  task: task.id
  causes: "[{'what': 'haste', 'from': task.from, 'to': task.from}]"
  evidence: "[task]"
  text: "{task.id} took {task.to - task.from} s with {task.entities}."
"""
KINDS = {
    *("wrong_order", "knocked_over", "grasp_lost", "wrong_object", "stale_belief"),
    *("failed_navigation", "carrying_collision", "unstable_support", "spilled", "goal_undone"),
    *("dropped", "task_failed", "overlooked", "incorrect_belief", "unachieved", "unexpected_event"),
}


def found(tmp_path: Path, text: str) -> Sequence[Flaw]:
    """What rules of a text find in a good episode."""
    file = tmp_path / "rules.yaml"
    file.write_text(text, encoding="utf-8")
    return find_flaws(AskedTables(fetched().made()), read_rules(file))


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """An installed package whose entry point names a path."""
    point = SimpleNamespace(name="kitchen", value="kitchen:RULES", path=Path())
    point.load = lambda: point.path
    monkeypatch.setattr("hetwin_core.ensemble.installed.installed", lambda group: [point])
    all_rules.cache_clear()
    monkeypatch.setattr(point, "path", Path())
    yield point
    all_rules.cache_clear()


def test_hetwin_has_a_rule_for_each_kind() -> None:
    assert {rule.kind for rule in all_rules()} == KINDS


def test_a_rule_is_a_query(tmp_path: Path) -> None:
    (flaw,) = found(tmp_path, OWN)
    assert flaw.text == "carry.1 took 2.40 s with box and right_hand."
    assert (flaw.kind, flaw.task, flaw.entities) == ("hasty", "carry.1", ("box", "right_hand"))
    assert [cause.what for cause in flaw.caused_by] == ["haste", "carry.1"]
    assert [(row.table, row.row) for row in flaw.evidence] == [("tasks", 1)]


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (
            "all_tasks()",
            "al_tasks()",
            r"rules\.yaml: 0\.each\.task: unknown.*'al_tasks'.*all_tasks",
        ),
        ("task.id\n", "tsk.id\n", r"rules\.yaml: 0\.task: unknown variable 'tsk'.*'task'"),
        ("task.from\n", "'(('\n", r"rules\.yaml: line \d+, 0\.from: .*syntax error"),
        ("  about: a task is over in no time\n", "", r"rules\.yaml: .*0\.about: a key is missing"),
        ("kind: hasty", "kind: hasty\n  why: no", r"rules\.yaml: .*0\.why: unknown key"),
        ("  to: task.to", "  to: task.id", r"0\.to: the time of a flaw must be a number"),
        ("all_tasks()", "task_at(1.0)", r"rules\.yaml: 0\.each\.task: .*runs over a list"),
        ("task.to - task.from <", "task.until <", r"rules\.yaml: .*hasty has no value.*until"),
    ],
)
def test_a_wrong_rule_is_named(tmp_path: Path, old: str, new: str, error: str) -> None:
    with pytest.raises(BadInput, match=error):
        found(tmp_path, OWN.replace(old, new, 1))


def test_a_package_adds_rules(package: SimpleNamespace, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    for path in (tmp_path, tmp_path / "own.yaml"):
        package.path = path
        all_rules.cache_clear()
        assert {rule.kind for rule in all_rules()} == {*KINDS, "hasty"}


def test_a_package_without_its_rules_is_named(package: SimpleNamespace, tmp_path: Path) -> None:
    package.path = tmp_path / "none.yaml"
    with pytest.raises(BadInput, match=r"'kitchen' do not exist.*none\.yaml.*YAML file"):
        all_rules()
