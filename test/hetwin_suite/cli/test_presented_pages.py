"""The presenter of results: it writes their pages, and says where they are."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite._commands.result import Page, PagedResult, Result, present

HTML = "<p>cups</p>"


def failing() -> str:
    raise ValueError("there is no cup")


def interrupted(times: int) -> Callable[[], str]:
    """What draws while signals arrive."""

    def draw() -> str:
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
        return HTML

    return draw


def test_a_page_is_written_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deep" / "cups.html"
    result = PagedResult({"cups": 2}, ["2 cups"], page=Page(file, lambda: HTML))
    present(result, as_json=False)
    assert capsys.readouterr().out == f"2 cups\npage: {file}\n"
    present(result, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"cups": 2, "page": str(file)}
    assert file.read_text("utf-8") == HTML


def test_without_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cups.html"
    present(PagedResult({}, page=Page(file, failing)), as_json=True, with_page=False)
    present(PagedResult({}), as_json=True)
    present(Result({}), as_json=True)
    said = capsys.readouterr().out
    assert [json.loads(text) for text in said.replace("}\n", "}\0").split("\0")[:-1]] == [
        *({"page": None}, {"page": None}, {})
    ]
    assert not file.exists()


def test_what_is_kept_is_what_json_prints_without_the_page(tmp_path: Path) -> None:
    kept = tmp_path / "deep" / "cups.json"
    page = Page(tmp_path / "cups.html", lambda: HTML)
    present(Result({"cups": 2}, page=page, kept=kept), as_json=False)
    assert json.loads(kept.read_text("utf-8")) == {"cups": 2}


def test_a_page_that_cannot_be_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cups.html"
    with pytest.raises(ValueError, match="there is no cup"):
        present(Result({}, page=Page(file, failing)), as_json=False)
    present(PagedResult({}, ["fine"], page=Page(file, failing, matters=False)), as_json=False)
    said = capsys.readouterr()
    assert said.out == "fine\n"
    assert said.err == "warning: no page: there is no cup\n"


def test_a_page_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    page = Page(tmp_path / "file" / "cups.html", lambda: HTML)
    with pytest.raises(BadInput, match="cannot be written"):
        present(Result({}, page=page), as_json=False)


def test_the_first_signal_lets_the_page_be_finished(tmp_path: Path) -> None:
    page = Page(tmp_path / "cups.html", interrupted(1))
    with pytest.raises(typer.Exit) as ended:
        present(Result({}, page=page), as_json=False)
    assert ended.value.exit_code == 130
    assert page.file.read_text("utf-8") == HTML
    page = Page(tmp_path / "none.html", interrupted(2))
    with pytest.raises(KeyboardInterrupt):
        present(Result({}, page=page), as_json=False)
    assert not page.file.exists()
