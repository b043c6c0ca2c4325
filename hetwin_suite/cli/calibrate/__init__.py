"""`hetwin calibrate`: better models from what robots did."""

from __future__ import annotations

import typer

from hetwin_suite.cli.calibrate.arm import arm
from hetwin_suite.cli.calibrate.drive import drive
from hetwin_suite.cli.calibrate.travel import travel

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("arm")(arm)
app.command("drive")(drive)
app.command("travel")(travel)
