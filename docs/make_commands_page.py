"""Writes docs/reference/commands.md, all commands and options of hetwin, from the commands themselves.

Usage: make_commands_page.py; a test holds the page and the commands equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from hetwin_suite.cli.commands import (
    BUILT_IN,
    KEPT_DEFAULTS,
    OPTIONS_TO_SUBCOMMANDS,
    REMOVAL_VERSION,
    RENAMED_COMMANDS,
    RENAMED_OPTIONS,
)
from hetwin_suite.cli.main import app

PAGE = Path(__file__).resolve().parent / "reference" / "commands.md"
INTRODUCTION = """\
# Commands

All commands, and all options by name, as `--help` has them. This page is written by `docs/make_commands_page.py` from
the commands. `hetwin --help` lists the commands, `hetwin COMMAND --help` says what one does, with an example that runs
as it stands. Packages [add commands](../packages.md) under nouns of their own; `learn`, `machines` and `truck` come so.

An option means the same in every command that has it: `-n` counts, `--duration` is simulated time and `--within` wall
time, `--out` is a folder, or a file whose ending says of which kind, `--jobs` are all cores unless it says how many,
and `--seed` is the scenario's or 0. What a command adds to the meaning is in its `--help`.

## What a command returns

| exit code | means |
| --- | --- |
| 0 | yes, or done |
| 1 | no, or failed |
| 2 | the input cannot be used |
| 3 | not known, or not in time |
| 130 | interrupted |

With `--json` a command prints one JSON document, of an error too: `{"error": {"file", "line", "key", "found",
"expected", "message"}}`, each null if it has none; `key` is a key of the file, or an option. When a run failed,
`model`, `call`, `time` and `reason` say where. Progress and warnings go to stderr, as does the error in words.

```console
$ hetwin list robots
```
"""
RENAMED = f"""\
## Old names

These work until hetwin {REMOVAL_VERSION}, with a warning on stderr.

| old | new |
| --- | --- |
"""


def page() -> str:
    """Return the whole page."""
    commands = dict(_commands(typer.main.get_command(app), ()))
    first = "".join(_row(words, command) for words, command in commands.items())
    return "\n".join(
        [
            INTRODUCTION,
            "## Commands\n",
            f"| command | takes | does |\n| --- | --- | --- |\n{first}",
            "## Options\n",
            f"| option | means | of |\n| --- | --- | --- |\n{''.join(_options(commands))}",
            f"{RENAMED}{''.join(_old())}",
        ]
    )


def options_of(command: Any) -> dict[str, Any]:
    """Return the options of a command by name, `--help` apart."""
    return {
        "/".join([*param.opts, *param.secondary_opts]): param
        for param in command.params
        if param.param_type_name == "option" and "--help" not in param.opts
    }


def meaning(option: Any) -> str:
    """Return what an option means in every command: its help up to the first semicolon."""
    return str(option.help or "").partition(";")[0]


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the commands below one, by their words."""
    if not hasattr(command, "list_commands"):
        yield " ".join(words), command
        return
    context = typer.Context(command)
    for name in command.list_commands(context):
        yield from _commands(command.get_command(context, name), (*words, name))


def _row(words: str, command: Any) -> str:
    takes = " ".join(
        str(param.metavar or param.name.upper())
        for param in command.params
        if param.param_type_name == "argument"
    )
    does = str(command.help).partition("\n\n")[0].replace("\n", " ")
    mark = "" if words.split()[0] in BUILT_IN else " (package)"
    return f"| `hetwin {words}`{mark} | {_code(takes)} | {_cell(does)} |\n"


def _options(commands: dict[str, Any]) -> Iterator[str]:
    found: dict[str, tuple[str, list[str]]] = {}
    for words, command in commands.items():
        for name, option in options_of(command).items():
            found.setdefault(name, (meaning(option), []))[1].append(words)
    for name in sorted(found, key=lambda name: name.lstrip("-")):
        means, users = found[name]
        of = "all" if len(users) == len(commands) else ", ".join(users)
        yield f"| {_code(name)} | {_cell(means)} | {of} |\n"


def _old() -> Iterator[str]:
    for old, new in RENAMED_COMMANDS.items():
        default = " ".join(KEPT_DEFAULTS.get(old, ())).rstrip()
        yield f"| `{old}` | `{f'{new} {default}'.strip()}` |\n"
    for command, below in OPTIONS_TO_SUBCOMMANDS.items():
        for option, name in below.items():
            yield f"| `{f'{command} {option}'.strip()}` | `{command} {name}` |\n"
    for command, options in RENAMED_OPTIONS.items():
        for option, new in options.items():
            yield f"| `{command} {option}` | `{command} {new}` |\n"


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
