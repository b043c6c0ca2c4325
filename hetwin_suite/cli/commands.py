"""The commands of `hetwin`: its own, and those of installed packages. Each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint
from inspect import isroutine
from typing import Any

import typer
from typer.core import TyperGroup

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import installed

ENTRY_POINTS = "hetwin.commands"
"""Group in which packages name commands: a function as for `typer.Typer.command`, or a `typer.Typer`."""
OWN: Mapping[str, tuple[str, str]] = {
    "run": ("hetwin_suite.cli.run:run", "run a scenario and report what happened"),
    "new": ("hetwin_suite.cli.new:new", "make a scenario from a recording of any robot"),
    "check": (
        "hetwin_suite.cli.check:check",
        "check a scenario and all that it names, with one step",
    ),
    "show": (
        "hetwin_suite.cli.show:show",
        "show a finished run in the browser, or two side by side",
    ),
    "report": ("hetwin_suite.cli.report:report", "write the report of a run as one HTML file"),
    "ask": ("hetwin_suite.cli.ask:ask", "ask a run what held, what happened, and why"),
    "flaws": ("hetwin_suite.cli.flaws:flaws", "find what went wrong in a run, with its causes"),
    "compare": ("hetwin_suite.cli.compare:compare", "find where two runs part"),
    "explain": (
        "hetwin_suite.cli.explain:explain",
        "find the smallest change with which a run succeeds",
    ),
    "sql": ("hetwin_suite.cli.sql:sql", "ask runs by SQL"),
    "tables": ("hetwin_suite.cli.sql:tables", "write the tables of a run as Parquet files"),
    "export": ("hetwin_suite.cli.export:export", "write a run as a file of Rerun or Foxglove"),
    "predict": ("hetwin_suite.cli.predict:predict", "predict what comes after a moment of a run"),
    "decide": ("hetwin_suite.cli.decide:decide", "find which strategy is best from a moment on"),
    "project": (
        "hetwin_suite.cli.project:project",
        "estimate how likely the outcomes of a scenario are",
    ),
    "learn": ("hetwin_suite.cli.learn:learn", "learn thresholds, success or fidelity from runs"),
    "record": ("hetwin_suite.cli.record:record", "record episodes of a simulated real robot"),
    "evaluate": ("hetwin_suite.cli.evaluate:evaluate", "compare approaches on recorded episodes"),
    "robot": ("hetwin_suite.cli.robot:robot", "play the part of a robot from a recording"),
    "send": ("hetwin_suite.cli.send:send", "rehearse a motion in the twin, then send it"),
    "calibrate": (
        "hetwin_suite.cli.calibrate:app",
        "improve models of arms, drives and travel from data",
    ),
    "describe": ("hetwin_suite.cli.describe:describe", "describe a robot or a world"),
    "forward": ("hetwin_suite.cli.kinematics:forward", "compute where a link of a robot is"),
    "inverse": (
        "hetwin_suite.cli.kinematics:inverse",
        "compute joint positions that reach given poses",
    ),
    "trajectory": ("hetwin_suite.cli.trajectory:trajectory", "plan a motion through waypoints"),
    "new-model": (
        "hetwin_suite.cli.new_model:new_model",
        "write a package with a model of your own",
    ),
    "check-model": ("hetwin_suite.cli.check:check_model", "check that a model keeps its contract"),
    "scenarios": ("hetwin_suite.cli.listing:scenarios", "list the scenarios that come with hetwin"),
    "models": ("hetwin_suite.cli.listing:models", "list the installed models"),
    "evaluators": ("hetwin_suite.cli.listing:evaluators", "list the functions of expressions"),
    "mismatches": ("hetwin_suite.cli.mismatches:mismatches", "list what --mismatch can make worse"),
    "schema": ("hetwin_suite.cli.listing:schema", "print JSON Schemas of scenarios and outputs"),
    "machines": ("hetwin_suite.cli.machines:app", "run, check and draw networks of state machines"),
    "truck": ("hetwin_suite.cli.truck:app", "plan, learn and choose how to unload a truck"),
}
"""Name of a command of hetwin's own -> what it is imported from, and what it does."""


class Commands(TyperGroup):
    """A group of commands that are imported one by one.

    A package's command has a name that no command of hetwin's own has.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return hetwin's own commands, then those of packages by name."""
        return [*OWN, *sorted(of_packages())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command; None if there is none of this name.

        Raises:
            BadInput: if a package's command cannot be imported.
        """
        found = _imported(cmd_name)
        if found is None:
            names: Any = dict.fromkeys(self.list_commands(ctx))
            self.commands = names  # what is suggested in its place
            return None
        return _command(cmd_name, found)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write what there is without importing it; a package's commands under its name."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in OWN.items()])
        packages: dict[str, list[str]] = {}
        for name, point in sorted(of_packages().items()):
            packages.setdefault(_package(point), []).append(name)
        for package, names in sorted(packages.items()):
            with formatter.section(f"Commands of {package}"):
                formatter.write_dl([(name, f"see hetwin {name} --help") for name in names])


def of_packages() -> dict[str, EntryPoint]:
    """The commands of installed packages by name; of several with one name, the first that Python finds."""
    points = reversed(installed(ENTRY_POINTS))
    return {point.name: point for point in points if point.name not in OWN}


def _imported(name: str) -> Any:
    if name in OWN:
        module, _, attribute = OWN[name][0].partition(":")
        return getattr(import_module(module), attribute)
    point = of_packages().get(name)
    if point is None:
        return None
    try:
        return point.load()
    except Exception as error:  # whatever a package raises when it is imported
        raise BadInput(
            f"the command cannot be imported from {_package(point)}: {type(error).__name__}: {error}",
            where=f"{ENTRY_POINTS}.{name}",
            found=point.value,
            expected="a function or a typer.Typer that can be imported",
        ) from error


def _command(name: str, found: Any) -> Any:
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(found)
        group.name = name
        return group
    if not isroutine(found):
        raise BadInput(
            "the command is neither a function nor a typer.Typer",
            where=f"{ENTRY_POINTS}.{name}",
            found=type(found).__name__,
        )
    alone = typer.Typer(rich_markup_mode=None, add_completion=False)
    alone.command(name)(found)
    return typer.main.get_command(alone)


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.module
