"""The report of a run: one HTML page that needs nothing else."""

from hetwin_suite.view.report.page import write_report

__all__ = ["write_report"]
