"""The page about programs in the loop does what it says: a plan of one's own, from start to first flaw."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hetwin_suite
from hetwin_core.ensemble.scenario.strict_yaml import parse
from hetwin_core.episodes.flaws.find import flaws_of
from hetwin_core.episodes.flaws.flaw import Flaw
from hetwin_programs import Robot
from hetwin_programs.camera.detector import Settings

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "programs.md").read_text(encoding="utf-8")
CALLS = (DOCS / "reference" / "programs.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (program,) = blocks("python")
    (scenario,) = (text for text in blocks("yaml") if text.startswith("scenario:"))
    assert program.count("\n") <= 36
    for name, text in {"work.py": program, "work.yaml": scenario}.items():
        assert f"`{name}`" in PAGE
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def unnumbered(text: str) -> str:
    return re.sub(r"\d+(\.\d+)?", "#", text)


def flaws(folder: Path, variant: str | None) -> tuple[Flaw, ...]:
    summary = hetwin_suite.run(folder / "work.yaml", variant=variant, out=folder / "run")
    return tuple(flaws_of(summary.folder))


@pytest.mark.long
def test_the_plan_has_no_flaws(folder: Path) -> None:
    assert flaws(folder, None) == ()


def test_the_variant_has_the_flaws_that_the_page_shows(folder: Path) -> None:
    (shown,) = blocks("text")
    found = [unnumbered(f"{flaw.kind}: {flaw.text}") for flaw in flaws(folder, "aside")]
    assert found[0].startswith("unstable_support")
    for line in shown.splitlines():
        assert any(text.startswith(unnumbered(line)) for text in found), line


def test_the_camera_that_is_shown_is_one() -> None:
    (text,) = (text for text in blocks("yaml") if text.startswith("models:"))
    given = parse(text, Path("page.yaml")).data["models"]["camera"]["parameters"]
    assert set(given) <= set(Settings.model_fields)


def test_every_call_is_named() -> None:
    own = [name for name in vars(Robot) if not name.startswith("_")]
    missing = [name for name in own if name != "finish" and name not in CALLS]
    assert missing == []
