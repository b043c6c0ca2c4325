"""YAML without surprises: words stay words, keys know their lines."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scenario.strict_yaml import MAX_NODES, Document, load, parse

FILE = Path("s.yaml")


def read(text: str) -> Document:
    return parse(text, FILE)


def test_on_is_a_word_and_so_are_yes_no_and_off() -> None:
    data = read("on: off\nyes: no\ny: n\n").data
    assert data == {"on": "off", "yes": "no", "y": "n"}


def test_true_and_false_are_truths() -> None:
    assert read("[true, True, FALSE, false]").data == [True, True, False, False]


def test_numbers_and_nothing() -> None:
    assert read("[1, 1.5, 1e3, null, ~, '1']").data[:2] == [1, 1.5]


def test_every_key_knows_its_line() -> None:
    document = read("a: 1\nb:\n  - c: 2\n  - {d: 3,\n     e: 4}\n")
    lines = {
        ("a",): 1,
        ("b",): 2,
        ("b", 0, "c"): 3,
        ("b", 1): 4,
        ("b", 1, "e"): 5,
        ("b", 1, "e", "not there"): 5,
        ("nowhere",): 1,
    }
    assert {path: document.line_of(path) for path in lines} == lines


def test_the_same_key_in_two_mappings_is_fine() -> None:
    assert read("a: {x: 1}\nb: {x: 1}\n").data == {"a": {"x": 1}, "b": {"x": 1}}


def test_the_same_key_twice_names_both_lines() -> None:
    with pytest.raises(
        BadInput, match=r"s.yaml: line 3: a key appears twice; found 'a'.*in line 1"
    ):
        read("a: 1\nb: 2\na: 3\n")


def test_anchors_may_be_used_with_measure() -> None:
    assert read("a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}\n").data["c"] == {"x": 1, "y": 2}


@pytest.mark.parametrize("levels", [5, 9, 30])
def test_a_bomb_is_refused_without_being_built(levels: int) -> None:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, levels)]
    with pytest.raises(BadInput, match=f"at most {MAX_NODES} values"):
        read("\n".join(lines))


def test_many_values_are_refused_before_they_are_composed() -> None:
    with pytest.raises(BadInput, match=f"line {MAX_NODES + 1}, .*more than {MAX_NODES} values"):
        read("- a\n" * (MAX_NODES + 10))


@pytest.mark.parametrize("number", ["1" * 400, "1." + "1" * 400, "0x" + "f" * 400])
def test_a_number_of_hundreds_of_digits_is_none(number: str) -> None:
    with pytest.raises(BadInput, match=r"line 2, column 4: .*digits; expected at most 300"):
        read(f"a: 1\nb: {number}\n")


def test_a_time_of_day_is_no_number_of_base_60() -> None:
    text = ":".join(["59"] * 400)
    data = read(f"a: 1:30\nb: 59:59:59.5\nc: {text}\nd: 1_000\ne: 1.5\nf: .inf\ng: 0x1f\n").data
    numbers = {"d": 1000, "e": 1.5, "f": float("inf"), "g": 31}
    assert data == {"a": "1:30", "b": "59:59:59.5", "c": text, **numbers}


SHIPPED = sorted(resource("scenarios").glob("*.yaml"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_libyaml_reads_what_the_parser_in_python_reads(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = load(file)
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    slow = load(file)
    assert (fast.data, fast._lines) == (slow.data, slow._lines)


@pytest.mark.parametrize(
    "text", ["a: [1, 2", "a: b: c", "- a\nb: c", "\ta: 1", "a: 'x", "a: *b", "é: \x01"]
)
def test_errors_are_worded_alike_with_and_without_libyaml(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusal() -> str:
        with pytest.raises(BadInput) as refused:
            parse(text, Path("a.yaml"))
        return str(refused.value)

    with_libyaml = refusal()
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert with_libyaml == refusal()
