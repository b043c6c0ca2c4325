"""The report of a run: one self-contained HTML page."""

from hetwin_suite.view.report.page import report_page, write_report

__all__ = ["report_page", "write_report"]
