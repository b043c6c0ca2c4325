"""All sentences of the catalogue, printed for a person to read: pytest -s test_all_sentences.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from hetwin_core.ensemble.sentences.catalogue import GROUPS, Entry, group, pieces, say

ROOT = Path(__file__).resolve().parents[4]
PACKAGES = ("hetwin_core", "model_nodes", "conductor_node", "hetwin_suite", "plugins")
ALL = [(f"{name}.{key}", entry) for name in GROUPS for key, entry in group(name).items()]
COUNTED = re.compile(r"^ (?:of \d|[a-z]+)")
NOT_NATIVE = re.compile(
    r"\b(?:feels?|answers?|tells?|told|mends?|can be touched)\b|\bNm\b|\bis be\b"
)


def must(entry: Entry) -> set[str]:
    """The arguments without which a sentence cannot be said."""
    return {*re.findall(r"\{(\w+)", re.sub(r"\[[^\]]*\]", "", entry.says))}


@pytest.mark.parametrize(("name", "entry"), ALL, ids=[name for name, _ in ALL])
def test_a_sentence_reads_well(name: str, entry: Entry) -> None:
    text = say(name, **entry.example)
    print(f"{text.strip()}\n    means: {entry.means}\n    does not mean: {entry.never}")
    assert must(entry) <= {*entry.example} <= {*entry.fields}
    assert not re.search(r"[\[\]{}]|  |\bNone$|\bnan\b|\b1 \w+s\b", text)
    assert entry.means.endswith(".")
    assert entry.never.endswith(".")
    for said in (text, entry.means, entry.never):
        assert not NOT_NATIVE.search(said)


@pytest.mark.parametrize(("name", "entry"), ALL, ids=[name for name, _ in ALL])
def test_each_number_has_a_unit_or_counts_something(name: str, entry: Entry) -> None:
    numbers = {
        key: value
        for key, value in entry.example.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    for key in numbers:
        kinds = re.findall(rf"\{{{key}(?::([\w ]+))?\}}(.{{0,20}})", entry.says)
        assert kinds
        for kind, after in kinds:
            if kind == "number":
                assert after.startswith(" {unit}")
            else:
                assert kind or COUNTED.match(after) or after.startswith((" times", " left"))


def test_a_number_without_a_unit_is_refused() -> None:
    with pytest.raises(TypeError, match="no unit"):
        say("event.left", object="box", container=0.5)
    with pytest.raises(TypeError, match="not a number"):
        say("concern.fell", object="box", height="high")


def test_what_is_not_known_is_left_out() -> None:
    assert say("concern.touched", link="arm", object="box", depth=None) == "arm touched box"
    known = {"time": 4.0, "closing": 0.4}
    assert "stopped at 40% of their travel with" in say("coverage.closed_on_something", **known)
    assert "stopped short of their end with" in say("coverage.closed_on_something", time=4.0)
    assert say("robot.kept_still", still=1, count=1) == "1 of 1 joint kept still"


def test_pieces_keep_their_times() -> None:
    assert pieces("ending.stopped", end=0) == ("The run was stopped after ", 0, ".")


@cache
def calls() -> tuple[tuple[str, ast.Call], ...]:
    """Where sentences are said: the place, and the call."""
    return tuple(
        (f"{file.relative_to(ROOT)}:{node.lineno}", node)
        for package in PACKAGES
        for file in sorted((ROOT / package).rglob("*.py"))
        if "sentences.catalogue" in (text := file.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("say", "pieces")
        and node.args
    )


def named(node: ast.Call) -> Iterator[str]:
    """The beginnings of the names that a call may say."""
    match node.args[0]:
        case ast.Constant(value=str(name)):
            yield f"{name}$"
        case ast.JoinedStr(values=[ast.Constant(value=str(begin)), *_]):
            yield begin


def test_each_sentence_that_is_said_is_there_with_its_arguments() -> None:
    known = dict(ALL)
    for place, node in calls():
        for name in named(node):
            if not name.endswith("$"):
                assert name.partition(".")[0] in GROUPS, place
                continue
            entry = known[name[:-1]]
            given = {keyword.arg for keyword in node.keywords}
            assert None in given or must(entry) <= given, place
            assert None in given or given <= {*entry.fields}, place


@pytest.mark.skipif(not (ROOT / "plugins").is_dir(), reason="the plugins are not here")
def test_nothing_is_in_the_catalogue_that_nobody_says() -> None:
    folders = [ROOT / package for package in (*PACKAGES, "examples")]
    if not all(folder.is_dir() for folder in folders):
        pytest.skip("some sentences are said by examples and plugins, which are not here")
    text = "\n".join(file.read_text("utf-8") for folder in folders for file in folder.rglob("*.py"))
    words = {*re.findall(r"\w+", text)}
    unsaid = [
        name
        for name, _ in ALL
        if name not in text
        and name.partition(".")[2] not in words
        and re.sub("^not_|^mended_|_nothing$", "", name.partition(".")[2]) not in words
    ]
    assert unsaid == []
