"""The report of a run: one HTML page that needs nothing else."""

from hetwin_suite.view.report.page import report_page, write_report

__all__ = ["report_page", "write_report"]
