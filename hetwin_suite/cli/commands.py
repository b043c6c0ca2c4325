"""The commands of `hetwin`: built-in ones and those of installed packages. Each is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import wraps
from importlib import import_module
from importlib.metadata import EntryPoint
from inspect import Parameter, isroutine, signature
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import COMMANDS, install_command, installed, package_of
from hetwin_core.ensemble.installed import Group as Points
from hetwin_suite._commands.options import AsJson, WithPage, with_default_ports
from hetwin_suite._commands.result import PagedResult, Result, present

ENTRY_POINTS = "hetwin.commands"
"""Entry point group of packages' commands: a function as for `typer.Typer.command`, or a `typer.Typer`.

An entry point NOUN.NAME adds a subcommand to one of hetwin's nouns.
"""
EXPECTED = "a function or a typer.Typer that can be imported"
KINDS = "hetwin.episode_kinds"
"""Entry point group of packages' episode kinds: `record.KIND` and `evaluate.KIND`, functions as for commands."""


class BuiltIn(NamedTuple):
    """A built-in command, or a noun with subcommands.

    Attributes:
        summary: one-line help.
        home: MODULE:FUNCTION in `hetwin_suite.cli`; empty for a noun.
        subcommands: built-in subcommands of a noun; packages may add others.
    """

    summary: str
    home: str = ""
    subcommands: Mapping[str, BuiltIn] = {}


BUILT_IN: Mapping[str, BuiltIn] = {
    "run": BuiltIn("run a scenario and report what happened", "run:run"),
    "new": BuiltIn("make a scenario from a recording of any robot", "new:new"),
    "check": BuiltIn("check a scenario and all that it names, with one step", "check:check"),
    "show": BuiltIn("show runs in the browser, or write one as a page, tables ...", "show:show"),
    "ask": BuiltIn("ask a run what held, what happened, why, and what went wrong", "ask:ask"),
    "record": BuiltIn("record episodes of a simulated real robot"),
    "evaluate": BuiltIn("compare approaches on recorded episodes"),
    "robot": BuiltIn("play the part of a robot, or command one"),
    "urdf": BuiltIn("see what a robot is, and compute its motions"),
    "calibrate": BuiltIn("improve models of arms, drives and travel from data"),
    "model": BuiltIn(
        "write a model of your own",
        subcommands={
            "new": BuiltIn("write a package with a model", "check:new_model"),
        },
    ),
    "list": BuiltIn(
        "list what there is",
        subcommands={
            "scenarios": BuiltIn("the scenarios that come with hetwin", "listing:scenarios"),
            "models": BuiltIn("the models, or what one of them declares", "listing:models"),
            "evaluators": BuiltIn("the functions of expressions", "listing:evaluators"),
            "robots": BuiltIn("the robots that have a name", "listing:robots"),
            "schema": BuiltIn("JSON Schemas of files and outputs", "listing:schema"),
        },
    ),
}


class Group(TyperGroup):
    """A group that skips parsing of its own options if the first word is a command, as typer does it slowly."""

    _has_options = True

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the group itself."""
        return super().get_params(ctx) if self._has_options else []

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command's name."""
        self._has_options = not args or args[0].startswith("-")
        return super().parse_args(ctx, args)


class Commands(Group):
    """A group of commands, each imported when it is used.

    A built-in command takes precedence over a package's command of the same name.
    """

    own: Mapping[str, BuiltIn] = BUILT_IN
    noun = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Replace deprecated names of commands and options by the current ones, with a warning."""
        if ctx.parent is None:
            args, warning = replace_deprecated(args)
            args = with_default_ports(args)
            if warning and not ctx.resilient_parsing:
                typer.echo(warning, err=True)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the built-in commands, then those of packages by name."""
        return [*self.own, *sorted(self._of_packages())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command; None if there is none of this name.

        Raises:
            BadInput: if a package's command cannot be imported, or hetwin's package with the command is not installed.
        """
        if (own := self.own.get(cmd_name)) is not None:
            return _built_in(cmd_name, own)
        if (point := self._of_packages().get(cmd_name)) is not None:
            return _command(
                cmd_name,
                Points(point.group, "command", EXPECTED).loaded(point),
                f"{point.group}.{point.name}",
            )
        full_name = f"{self.noun} {cmd_name}".lstrip()
        if full_name in COMMANDS:
            raise BadInput(
                f"hetwin {full_name} is in a package of its own, which is not installed",
                expected=install_command(COMMANDS[full_name]),
            )
        names: Any = dict.fromkeys(self.list_commands(ctx))
        self.commands = names  # so that typer suggests similar names
        return None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands without importing them, grouped by package."""
        if self.own:
            with formatter.section("Commands"):
                formatter.write_dl([(name, own.summary) for name, own in self.own.items()])
        packages: dict[str, list[str]] = {}
        for name, point in sorted(self._of_packages().items()):
            packages.setdefault(package_of(point), []).append(name)
        noun = f"{self.noun} ".lstrip()
        for package, names in sorted(packages.items()):
            with formatter.section(f"Commands of {package}"):
                formatter.write_dl([(name, f"see hetwin {noun}{name} --help") for name in names])
        named = {name.removeprefix(noun): extra for name, extra in COMMANDS.items()}
        available = {*self.own, *self._of_packages()}
        rows = [
            (name, install_command(extra))
            for name, extra in named.items()
            if noun and noun + name in COMMANDS and name not in available
        ]
        if rows:
            with formatter.section("Not installed"):
                formatter.write_dl(rows)

    def _of_packages(self) -> dict[str, EntryPoint]:
        """Command -> entry point of a package; for a name with several entry points, the first that Python finds."""
        prefix = f"{self.noun}.".removeprefix(".")
        points = [*reversed(installed(KINDS)), *reversed(installed(ENTRY_POINTS))]
        named = {p.name.removeprefix(prefix): p for p in points if p.name.startswith(prefix)}
        return {n: point for n, point in named.items() if n not in self.own and "." not in n}


def _built_in(name: str, own: BuiltIn) -> Any:
    if own.home:
        module, _, attribute = own.home.partition(":")
        return _command(
            name, getattr(import_module(f"hetwin_suite.cli.{module}"), attribute), own.home
        )
    noun = Commands(
        name=name,
        help=f"{own.summary[0].upper()}{own.summary[1:]}.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    noun.own, noun.noun = own.subcommands, name
    return noun


def _command(name: str, found: Any, where: str) -> Any:
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(_app_with_presentation(found))
        group.name = name
        return group
    if not isroutine(found):
        raise BadInput(
            "the command is neither a function nor a typer.Typer",
            where=where,
            found=type(found).__name__,
        )
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(name)(_with_presentation(found))
    return typer.main.get_command(app)


def _app_with_presentation(app: typer.Typer) -> typer.Typer:
    """Return an application whose commands present their results."""
    found = copy(app)
    found.info = copy(app.info)
    if not isinstance(found.info.cls, type):
        found.info.cls = Group
    found.registered_commands = [copy(command) for command in app.registered_commands]
    found.registered_groups = [copy(group) for group in app.registered_groups]
    for command in found.registered_commands:
        command.callback = command.callback and _with_presentation(command.callback)
    for group in found.registered_groups:
        group.typer_instance = group.typer_instance and _app_with_presentation(group.typer_instance)
    return found


def _with_presentation(command: Callable[..., Any]) -> Callable[..., None]:
    """Wrap a command so that its `Result` is presented; adds `--json` and `--page` where they apply."""
    command_signature = signature(command, eval_str=True)
    returned = command_signature.return_annotation
    returned = returned if isinstance(returned, type) else type(None)
    added = {"with_page": (WithPage, True)} if issubclass(returned, PagedResult) else {}
    if issubclass(returned, Result) and "as_json" not in command_signature.parameters:
        added["as_json"] = (AsJson, False)

    @wraps(command)
    def presented(**values: Any) -> None:
        chosen = {name: values.pop(name, default) for name, (_, default) in added.items()}
        result = command(**values)
        if isinstance(result, Result):
            present(result, **{"as_json": values.get("as_json", False), **chosen})

    last = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in added.items()
    ]
    command_signature = command_signature.replace(
        parameters=[*command_signature.parameters.values(), *last]
    )
    presented.__annotations__ = {
        p.name: p.annotation for p in command_signature.parameters.values()
    }
    presented.__signature__ = command_signature  # type: ignore[attr-defined]
    return presented


REMOVAL_VERSION = "0.3"
"""Version that removes the deprecated names."""

RENAMED_COMMANDS: Mapping[str, str] = {
    "report": "show",
    "export": "show",
    "tables": "show",
    "flaws": "ask --flaws",
    "sql": "ask --sql",
    "project": "predict",
    "decide": "predict",
    "send": "robot send",
    "describe": "urdf describe",
    "forward": "urdf forward",
    "inverse": "urdf inverse",
    "trajectory": "urdf trajectory",
    "new-model": "model new",
    "check-model": "model check",
    "scenarios": "list scenarios",
    "models": "list models",
    "evaluators": "list evaluators",
    "mismatches": "list mismatches",
    "schema": "list schema",
}
"""Deprecated command -> its current words."""
OPTIONS_TO_SUBCOMMANDS: Mapping[str, Mapping[str, str]] = {
    "learn": {"--success": "success", "--fidelity": "fidelity", "": "thresholds"},
    "robot": {"--obey": "obey", "": "play"},
}
"""Command -> deprecated option that selected a mode -> subcommand that replaces it; empty option: the default mode."""
OTHER_SUBCOMMANDS = {"robot": ("send",)}
"""Command -> its further subcommands, which never were options."""
RENAMED_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "run": {"--report": "--page", "--no-report": "--no-page"},
    "show": {"--rerun": "--out", "--mcap": "--out"},
    "new": {"--joints": "--joint"},
    "predict": {"--samples": "-n", "--futures": "-n", "--horizon": "--duration"},
    "learn": {"--samples": "-n", "--keep": "--cache"},
    "record": {"--episodes": "-n"},
    "evaluate robustness": {"--first": "-n"},
    "robot play": {"--speed": "--pace"},
    "robot send": {"--to": "--namespace"},
    "urdf inverse": {"--from": "--start", "--time-limit": "--budget"},
    "calibrate arm": {"--poses": "--markers", "--parameters": "--fit"},
    "calibrate drive": {"--robot": "--believed"},
    "machines run": {"--profile": "--stays"},
    "machines draw": {"--trace": "--way"},
    "truck learn": {"--loads": "-n"},
}
"""Current command -> deprecated option -> current option."""
KEPT_DEFAULTS: Mapping[str, tuple[str, str]] = {
    "report": ("--out", ".html"),
    "export": ("--out", ""),
    "tables": ("--out", ""),
    "record": ("--seed", "1"),
}
"""Deprecated command -> a current option, and the value that keeps the old behaviour if the option is absent."""


def replace_deprecated(words: Sequence[str]) -> tuple[list[str], str]:
    """Replace deprecated names on a command line.

    Args:
        words: the words after `hetwin` on the command line.

    Returns:
        The words with current names, and a warning; empty if nothing was deprecated.
    """
    if not words or words[0].startswith("-"):
        return list(words), ""
    head, tail, flags = _commands(words)
    names = _options(" ".join([*head, *tail[:1]]))
    kept, renamed = _rename_options(tail, names)
    if " ".join(head) == words[0] and not renamed:
        return list(words), ""
    option, value = KEPT_DEFAULTS.get(words[0], ("", ""))
    added = [] if not option or {option, "-h", "--help"} & {*kept} else [option, value]
    before = " ".join(["hetwin", words[0], *flags, *renamed])
    now = " ".join(["hetwin", *head, *dict.fromkeys(renamed.values()), *added]).rstrip()
    warning = f"warning: {before} is now {now}; the old name goes with hetwin {REMOVAL_VERSION}"
    return [*head, *kept, *added], warning


def _commands(words: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the command's current words, the words after it, and the deprecated option that became a subcommand."""
    name, *tail = words
    if name in RENAMED_COMMANDS:
        return RENAMED_COMMANDS[name].split(), tail, []
    subcommands = OPTIONS_TO_SUBCOMMANDS.get(name)
    command_signature = {
        *(subcommands or {}).values(),
        *OTHER_SUBCOMMANDS.get(name, ()),
        "-h",
        "--help",
    }
    if subcommands is None or not tail or tail[0] in command_signature:
        return [name], tail, []
    option = next(option for option in subcommands if not option or option in tail)
    return (
        [name, subcommands[option]],
        [word for word in tail if word != option],
        [option] * bool(option),
    )


def _options(command: str) -> dict[str, str]:
    """Return deprecated option -> current option of a command and of the nouns above it."""
    found: dict[str, str] = {}
    for name, options in RENAMED_OPTIONS.items():
        if f"{command} ".startswith(f"{name} "):
            found |= options
    return found


def _rename_options(
    words: Sequence[str], names: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Return the words with current option names, and the renamed options."""
    kept: list[str] = []
    renamed: dict[str, str] = {}
    for index, word in enumerate(words):
        option, is_given, value = word.partition("=")
        if word == "--":
            return [*kept, *words[index:]], renamed
        if option in names:
            renamed[option] = names[option]
            kept += [names[option], value] if is_given else [names[option]]
        else:
            kept.append(word)
    return kept, renamed
