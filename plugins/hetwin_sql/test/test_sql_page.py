"""The page of the tables is written from their columns, and the page on asking names the extra and the limit."""

from __future__ import annotations

import runpy

from support.pages import ROOT

from hetwin_core.ensemble.installed import install_command
from hetwin_sql.library import MEMORY
from hetwin_sql.views import VIEWS

DOCS = ROOT / "docs"
PAGE = (DOCS / "asking.md").read_text(encoding="utf-8")


def test_the_page_of_the_tables_is_their_columns() -> None:
    made = runpy.run_path(str(DOCS / "make_views_page.py"))
    page = (DOCS / "reference" / "views.md").read_text(encoding="utf-8")
    assert page == made["page"](), "run python docs/make_views_page.py"


def test_the_page_on_asking_names_all_tables() -> None:
    assert [name for name in VIEWS if f"`{name}`" not in PAGE] == []


def test_it_names_the_extra_and_the_limit() -> None:
    assert install_command("tables") in PAGE
    assert MEMORY.replace("GB", " GB") in PAGE
