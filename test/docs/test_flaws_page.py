"""The page about flaws shows what its commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from support.hetwin_command import hetwin
from support.pages import ROOT, commands
from support.plugins import needs

import hetwin_suite
from hetwin_core.episodes.flaws.rule import all_rules

PAGE = ROOT / "docs" / "flaws.md"
REFERENCE = ROOT / "docs" / "reference" / "flaws.md"
PRINTED = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_comparison_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    good, moved, compared, drawn, *_ = (shlex.split(line)[1:] for line in commands(PAGE)[2:])
    for command in (good, moved):
        assert hetwin(*command).code == 0
    (printed,) = PRINTED.findall(PAGE.read_text("utf-8"))
    assert hetwin(*compared).out == printed
    assert hetwin(*drawn).out == f"{printed}page: compared.html\n"
    assert (tmp_path / "compared.html").stat().st_size < 10e6


def test_every_kind_is_in_the_reference() -> None:
    text = REFERENCE.read_text("utf-8")
    kinds = {rule.kind for rule in all_rules()}
    assert len(kinds) > 10
    assert {kind for kind in kinds if f"| `{kind}` |" not in text} == set()


@needs("hetwin_tables")
def test_the_page_shows_the_flaws_of_the_episode_that_ships(tmp_path: Path) -> None:
    run = hetwin_suite.run("setting_the_table", out=tmp_path / "run").folder
    said = hetwin("ask", "--flaws", run)
    assert said.code == 0, said.err
    assert f"\n{said.out}```" in PAGE.read_text(encoding="utf-8")
