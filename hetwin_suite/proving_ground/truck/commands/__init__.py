"""`hetwin truck`: strategies that unload a truck, planned, learned and chosen."""

from __future__ import annotations

import typer

from hetwin_suite.proving_ground.truck.commands.choose import choose
from hetwin_suite.proving_ground.truck.commands.learn import learn
from hetwin_suite.proving_ground.truck.commands.plan import plan

app = typer.Typer(
    help="Plan strategies for unloading a truck, learn which suits a load, and choose.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("plan")(plan)
app.command("learn")(learn)
app.command("choose")(choose)
