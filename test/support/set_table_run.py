"""A run of the scenario `set_table`, made once for all tests that ask what happened in it."""

from __future__ import annotations

from pathlib import Path

import hetwin_suite

KNOCKED_OVER = "knocked_over"


def run_set_table(folder: Path) -> None:
    """Run the variant in which a bottle is knocked over, into `run` in the folder."""
    hetwin_suite.run("set_table", variant=KNOCKED_OVER, out=folder / "run")
