"""The page about decisions: its options are those of the command, and its library is one."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.pages import ROOT
from support.plugins import needs

from hetwin_core.ensemble.errors import BadInput

pytestmark = needs("hetwin_futures")
PAGE = ROOT / "docs" / "deciding.md"
REFERENCE = ROOT / "docs" / "reference" / "predictions.md"


@pytest.mark.parametrize(
    ("words", "page", "section"),
    [
        ("predict", PAGE, "Choose a strategy"),
        pytest.param(
            "learn thresholds",
            REFERENCE,
            "Options of learning thresholds",
            marks=needs("hetwin_learning"),
        ),
    ],
)
def test_the_options_of_the_page_are_those_of_the_command(
    words: str, page: Path, section: str
) -> None:
    from support.hetwin_command import all_commands

    command = all_commands()[words]
    known = {option for parameter in command.params for option in parameter.opts}
    text = page.read_text("utf-8").partition(f"## {section}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`--.*?) \|", text, re.MULTILINE)
    said = {option for row in rows for option in re.findall(r"`(--[a-z-]+)", row)}
    assert len(said) >= 5
    assert said <= known, said - known


def test_the_library_of_the_page_can_be_read(tmp_path: Path) -> None:
    from hetwin_futures.strategies import read_library

    (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    file = tmp_path / "library.yaml"
    file.write_text(text, encoding="utf-8")
    assert list(read_library(str(file)).file.strategies) == ["middle", "wait"]


def test_hetwins_own_libraries_can_be_read() -> None:
    from hetwin_core.ensemble.resources import names_of
    from hetwin_futures.strategies import FOLDER, read_library

    names = names_of(FOLDER, ".yaml")
    assert "put_down" in names
    assert all(read_library(name).file.description for name in names)


def test_the_library_of_aims_can_be_read_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from hetwin_core.ensemble import resources
    from hetwin_futures.strategies import read_library

    if find_spec("hetwin_bauer2022"):
        assert len(read_library("aims").file.strategies) == 25
    monkeypatch.setattr(resources, "_package_folders", lambda _: ())
    with pytest.raises(BadInput, match="no such library") as error:
        read_library("aims")
    assert error.value.expected == 'pip install "hetwin-suite[examples]"'
