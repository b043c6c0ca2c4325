"""The page about comparing shows what the command prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from support.hetwin_command import hetwin
from support.pages import ROOT, commands

PAGE = ROOT / "docs" / "comparing.md"
PRINTED = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_comparison_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    good, moved, compared, drawn, *_ = (shlex.split(line)[1:] for line in commands(PAGE))
    for command in (good, moved):
        assert hetwin(*command).code == 0
    (printed,) = PRINTED.findall(PAGE.read_text("utf-8"))
    assert hetwin(*compared).out == printed
    assert hetwin(*drawn).out == f"{printed}page: compared.html\n"
    assert (tmp_path / "compared.html").stat().st_size < 10e6
