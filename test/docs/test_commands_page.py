"""The page of the commands is what the commands are, each option means the same everywhere, and old names work."""

from __future__ import annotations

import importlib.util
import shlex
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.hetwin_command import Said, all_commands, hetwin
from support.plugins import needs, needs_of

from hetwin_suite.cli import commands
from hetwin_suite.cli.commands import (
    BUILT_IN,
    OPTIONS_TO_SUBCOMMANDS,
    RENAMED_COMMANDS,
    RENAMED_OPTIONS,
    Commands,
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RENAMED: dict[str, list[tuple[str, str]]] = yaml.safe_load(
    (HERE / "renamed_commands.yaml").read_text("utf-8")
)
CORE = 16
"""More nouns and verbs than these belong to packages."""
NAMES_OF_OTHERS = {"compare", "explain", "label", "learn", "machines", "night", "predict", "truck"}


def made() -> Any:
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("page", ROOT / "docs" / "make_commands_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs(
    "hetwin_calibration",
    "hetwin_compare",
    "hetwin_futures",
    "hetwin_learning",
    "hetwin_machines",
    "hetwin_tables",
)
def test_the_page_is_the_commands() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text("utf-8")
    assert page == made().page(), "run python docs/make_commands_page.py"


@needs(
    "hetwin_datasets",
    "hetwin_compare",
    "hetwin_futures",
    "hetwin_learning",
    "hetwin_machines",
    "hetwin_night",
    "hetwin_tables",
)
def test_there_are_few_commands() -> None:
    assert len(BUILT_IN) <= CORE
    shown = {words.split()[0] for words in all_commands()}
    assert shown == {*BUILT_IN, *NAMES_OF_OTHERS}
    assert shown.isdisjoint(RENAMED_COMMANDS)


def test_an_option_means_the_same_everywhere() -> None:
    page = made()
    meanings: dict[str, dict[object, list[str]]] = {}
    for words, command in all_commands().items():
        for names, option in page.options_of(command).items():
            means = (page.meaning(option), option.metavar, option.is_flag)
            for name in names.split("/"):
                meanings.setdefault(name, {}).setdefault(means, []).append(words)
    several = {name: found for name, found in meanings.items() if len(found) > 1}
    assert not several


def test_every_command_has_json() -> None:
    assert [
        words for words, c in all_commands().items() if "--json" not in made().options_of(c)
    ] == []


# ---------------------------------------------------------------------- names of before


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """What would have been called, and with what, in place of calling it."""
    found: list[tuple[str, dict[str, Any]]] = []
    presented = commands._with_presentation

    def noting(command: Callable[..., Any]) -> Callable[..., None]:
        known = presented(command)

        @wraps(known)
        def note(**values: Any) -> None:
            found.append((f"{command.__module__}:{command.__name__}", values))

        note.__signature__ = known.__signature__  # type: ignore[attr-defined]
        return note

    monkeypatch.setattr(commands, "_with_presentation", noting)
    return found


def run(line: str) -> Said:
    return hetwin(*shlex.split(line)[1:])


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=needs_of(line for pair in lines for line in pair))
        for page, lines in RENAMED.items()
    ],
)
def test_commands_of_before_do_what_those_of_the_page_do(
    page: str, called: list[tuple[str, dict[str, Any]]]
) -> None:
    for before, now in RENAMED[page]:
        old, new = run(before), run(now)
        assert (old.code, new.code) == (0, 0), (before, old, new)
        assert called[-2] == called[-1], before
        assert len(old.err.splitlines()) == 1
        assert old.err.startswith("warning: hetwin ")
        assert new.err == ""


@needs(
    "hetwin_calibration",
    "hetwin_compare",
    "hetwin_futures",
    "hetwin_learning",
    "hetwin_machines",
    "hetwin_tables",
)
def test_each_name_of_before_leads_somewhere() -> None:
    known = all_commands()
    nouns = {words.split()[0] for words in known}
    for words in RENAMED_COMMANDS.values():
        assert words in known or words.split()[0] in nouns
    for noun, below in OPTIONS_TO_SUBCOMMANDS.items():
        assert {f"{noun} {name}" for name in below.values()} <= {*known}
    for words, options in RENAMED_OPTIONS.items():
        users = [command for name, command in known.items() if f"{name} ".startswith(f"{words} ")]
        assert users, words
        has = {name for user in users for p in user.params for name in (*p.opts, *p.secondary_opts)}
        assert {*options.values()} <= has, words
        assert not {*options} & has or words == "learn", words


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("hetwin scenarios --json", "hetwin list scenarios --json"),
        pytest.param(
            "hetwin mismatches", "hetwin list mismatches", marks=needs("hetwin_bauer2022")
        ),
        pytest.param(
            "hetwin describe tabletop",
            "hetwin urdf describe tabletop",
            marks=needs("hetwin_calibration"),
        ),
        pytest.param(
            "hetwin machines run counter --inputs scenarios/networks/counter.csv --profile --json",
            "hetwin machines run counter --inputs scenarios/networks/counter.csv --stays --json",
            marks=needs("hetwin_machines"),
        ),
        ("hetwin export nothing", "hetwin show nothing --out ''"),
        ("hetwin robot nothing --obey", "hetwin robot obey nothing"),
    ],
)
def test_a_command_of_before_prints_the_same(
    before: str, now: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    old, new = run(before), run(now)
    assert (old.code, old.out) == (new.code, new.out)
    warning, _, rest = old.err.partition("\n")
    assert (warning[:8], rest) == ("warning:", new.err)


@needs(
    "hetwin_datasets",
    "hetwin_compare",
    "hetwin_futures",
    "hetwin_learning",
    "hetwin_machines",
    "hetwin_night",
    "hetwin_tables",
)
def test_names_of_before_are_not_listed() -> None:
    listed = hetwin("--help").out
    assert not [name for name in RENAMED_COMMANDS if f"\n  {name} " in listed]
    assert Commands(name="x").list_commands(None) == [*BUILT_IN, *sorted(NAMES_OF_OTHERS)]
