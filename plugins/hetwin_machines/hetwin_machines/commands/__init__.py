"""`hetwin machines`: commands for networks of state machines."""

from __future__ import annotations

import typer

from hetwin_machines.commands.files import check, code, draw
from hetwin_machines.commands.link import link
from hetwin_machines.commands.run import run

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
