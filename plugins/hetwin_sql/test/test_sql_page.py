"""The page on SQL lists the views and their columns as they are."""

from __future__ import annotations

import re

from support.pages import ROOT

from hetwin_core.ensemble.extras import installs
from hetwin_sql.library import MEMORY
from hetwin_sql.views import VIEWS

PAGE = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")


def test_it_lists_all_views_with_their_columns() -> None:
    sections = re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]
    assert [section.partition("\n")[0] for section in sections] == [*VIEWS]
    for section, columns in zip(sections, VIEWS.values(), strict=True):
        rows = re.findall(r"^\| `(\w+)` \| ([A-Z\[\]]+)(, or NULL)? \|", section, re.MULTILINE)
        assert rows == [
            (column.name, column.type, ", or NULL" * column.optional) for column in columns
        ]


def test_it_names_the_extra_and_the_limit() -> None:
    assert installs("tables") in PAGE
    assert MEMORY.replace("GB", " GB") in PAGE
