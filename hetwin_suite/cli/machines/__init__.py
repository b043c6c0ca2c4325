"""`hetwin machines`: networks of state machines that one can see through."""

from __future__ import annotations

import typer

from hetwin_suite.cli.machines.check import check
from hetwin_suite.cli.machines.code import code
from hetwin_suite.cli.machines.draw import draw
from hetwin_suite.cli.machines.link import link
from hetwin_suite.cli.machines.run import run

app = typer.Typer(
    help="Run, check, draw and write networks of state machines.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("run")(run)
app.command("check")(check)
app.command("draw")(draw)
app.command("code")(code)
app.command("link")(link)
