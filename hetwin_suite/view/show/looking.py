"""The page of finished runs."""

from __future__ import annotations

from pathlib import Path

from hetwin_core.ensemble.installed import library_of
from hetwin_core.ensemble.limits import read_text
from hetwin_core.episodes.run_folder import FORECAST, folder_of
from hetwin_suite.view.report.page import report_page


def looking_page(run: Path, other: Path | None = None) -> str:
    """Return the page of a run, of two side by side, or of futures: one HTML file that loads nothing.

    Args:
        run: folder of the run, or of futures that were predicted.
        other: that of one beside it.

    Raises:
        BadInput: if there is no such run, it cannot be read, or the package that compares two is not installed.
    """
    if other is None and (run / FORECAST).is_file():
        return read_text(run / FORECAST)
    first = folder_of(run)
    if other is None:
        return report_page(first)
    pages = library_of("compare", "hetwin_compare.page", "two runs side by side are compared")
    page: str = pages.compared_page(first, folder_of(other))
    return page
