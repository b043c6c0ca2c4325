"""The page about predictions: its options are those of the command."""

from __future__ import annotations

import re

from support.pages import ROOT

PAGE = ROOT / "docs" / "prediction.md"


def test_the_options_of_the_page_are_those_of_the_command() -> None:
    from support.hetwin_command import all_commands

    command = all_commands()["predict"]
    known = {option for parameter in command.params for option in parameter.opts}
    rows = re.findall(r"^\| (`--.*?) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    said = {option for row in rows for option in re.findall(r"`(--[a-z-]+)", row)}
    assert len(said) >= 8
    assert said <= known, said - known
