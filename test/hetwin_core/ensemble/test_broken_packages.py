"""An entry point that cannot be imported is named with its package and the error, and breaks nothing else."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.packages import install

from hetwin_core.ensemble.catalogue import model_class
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.resources import names_of
from hetwin_core.episodes.flaws.rule import all_rules
from hetwin_programs.skills.arguments import skill_of
from hetwin_suite._commands.result import figures_of
from hetwin_suite.view.report.page import SECTIONS
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.reports.by_type import reader_of

GROUPS = (
    *("evaluators", "evidence", "figures", "flaws", "models", "page_sections"),
    *("resources", "skills", "sources"),
)
NAMES = {"evidence": "my_msgs/msg/Grip"}
POINTS = "\n".join(
    f"[hetwin.{group}]\n{NAMES.get(group, 'gone')} = no_such_module:thing\n" for group in GROUPS
)


@pytest.fixture(autouse=True)
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package of whose entry points none can be imported."""
    install(tmp_path, monkeypatch, "ruin", POINTS)
    for cached in (all_evaluators, all_rules):
        cached.cache_clear()
    yield
    for cached in (all_evaluators, all_rules):
        cached.cache_clear()


USED: dict[str, Callable[[], object]] = {
    "evaluators": all_evaluators,
    "evidence": lambda: reader_of("my_msgs/msg/Grip"),
    "figures": lambda: list(figures_of([{"name": "gone"}])),
    "flaws": all_rules,
    "page_sections": lambda: dict(SECTIONS.each()),
    "resources": lambda: names_of("scenarios", ".yaml"),
}
"""Group -> what looks at all that is installed, and goes on without what is broken."""
ASKED: dict[str, Callable[[], object]] = {
    "skills": lambda: skill_of("gone"),
    "sources": lambda: open_source({"installed": "gone"}),
}
"""Group -> what asks for the broken one by its name."""


@pytest.mark.parametrize("group", USED)
def test_it_is_left_out_with_a_warning(group: str) -> None:
    words = rf"hetwin\.{group}\.\S+: the .* of the package ruin cannot be used: .*no_such_module"
    with pytest.warns(UserWarning, match=words):
        found = USED[group]()
    assert group in ("evidence", "figures", "page_sections") or found
    assert "gone" not in (found or ())  # type: ignore[operator]


@pytest.mark.parametrize("group", ASKED)
def test_who_asks_for_it_is_told(group: str) -> None:
    words = r"the .* gone of the package ruin cannot be used: ModuleNotFoundError.*no_such_module"
    with pytest.raises(BadInput, match=words) as error:
        ASKED[group]()
    assert error.value.where == f"hetwin.{group}.gone"


def test_a_model_is_not_imported_before_it_is_used() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model_class("main_physics")
    with pytest.raises(BadInput, match="ruin"):
        model_class("gone")


@pytest.mark.parametrize("group", ["skills", "sources"])
def test_what_is_not_installed_has_a_list_of_what_is(group: str) -> None:
    ask = {"skills": skill_of, "sources": lambda name: open_source({"installed": name})}[group]
    with pytest.raises(
        BadInput, match=r"no such .* is installed.*found 'nothing'; expected one of"
    ):
        ask("nothing")
