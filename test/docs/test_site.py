"""The documentation site is built without a warning, from the pages and the docstrings, and needs no network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOADED = re.compile(
    r"""<(?:script|img|iframe)\b[^>]*\bsrc=["']([^"']+)|<link\b[^>]*\bhref=["']([^"']+)"""
)
"""What a browser loads with a page; links to click on are not."""

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("documentation") / "site"
    command = [sys.executable, "docs/make_site.py", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return folder


def test_every_page_is_there(site: Path) -> None:
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")}
    assert {page.stem for page in (site / "docs").glob("*.html")} == pages
    for page in ("index", "CONTRIBUTING", "CHANGELOG", "SECURITY", "benchmarks/README"):
        assert (site / f"{page}.html").is_file(), page


def test_the_first_page_leads_to_the_index(site: Path) -> None:
    assert "url=docs/index.html" in (site / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "hetwin_core.ensemble.model.Model.step",
        "model_nodes.main_physics.engines.engine.Engine",
        "model_nodes.main_physics.sources.part.Part",
    ],
)
def test_the_reference_has_what_others_build_on(site: Path, name: str) -> None:
    reference = (site / "docs/reference").rglob("*.html")
    assert any(f'id="{name}"' in page.read_text(encoding="utf-8") for page in reference)


def test_nothing_is_loaded_from_the_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        for source, sheet in LOADED.findall(page.read_text(encoding="utf-8")):
            assert not re.match(r"(https?:)?//", source or sheet), f"{page.name}: {source or sheet}"
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"""(@import|url\()\s*["']?(https?:)?//""", text), sheet.name


def test_a_warning_fails_the_build(tmp_path: Path) -> None:
    """A link that leads nowhere, in a small site with the configuration of the real one."""
    pages = tmp_path / "pages" / "docs"
    pages.mkdir(parents=True)
    (pages / "index.md").write_text("# A page\n\n[nowhere](nowhere.md)\n", encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-c", str(ROOT / "docs")]
    command += ["-D", "extensions=myst_parser", "-D", "html_theme=basic"]
    command += [str(tmp_path / "pages"), str(tmp_path / "site")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "nowhere.md" in done.stderr
