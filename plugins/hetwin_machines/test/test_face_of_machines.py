"""What the package exports is described, and the example in its docstring runs."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import hetwin_machines
from hetwin_machines.link import messages
from hetwin_machines.network_files import find_table


def test_each_name_is_there_and_described() -> None:
    constants = re.findall(r'^(\w+) = .*\n"""', inspect.getsource(messages), re.MULTILINE)
    for name in hetwin_machines.__all__:
        found = getattr(hetwin_machines, name)
        assert name in constants or inspect.getdoc(found), name


def test_the_example_prints_how_many_machines_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = re.findall(r"::\n\n((?:(?:    .*)?\n)+)", inspect.getdoc(hetwin_machines) or "")
    monkeypatch.chdir(tmp_path)
    exec(inspect.cleandoc(example), {})
    assert capsys.readouterr().out == "1\n"


def test_a_table_that_comes_with_it_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = Path("scenarios/networks/counter.csv")
    assert find_table(table).is_file()
    unknown = table.with_name("nothing.csv")
    assert find_table(unknown) == unknown
    table.parent.mkdir(parents=True)
    table.write_text("P,b\n", encoding="utf-8")
    assert find_table(table) == table
