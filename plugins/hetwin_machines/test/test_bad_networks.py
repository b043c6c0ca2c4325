"""A network that cannot be used is refused, with machine, state and key."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from hetwin_machines.errors import NetworkError
from hetwin_machines.reading import read_network

GOOD: dict[str, Any] = {
    "inputs": ["rot"],
    "events": ["go"],
    "outputs": ["busy"],
    "machines": {
        "turner": {
            "initial": "LISTEN",
            "init": {"busy": False},
            "states": {"LISTEN": [{"if": "go", "do": {"busy": True}, "to": "LISTEN"}]},
        }
    },
}
Change = Callable[[dict[str, Any]], object]


def arc(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data["machines"]["turner"]["states"]["LISTEN"][0]
    return found


def turner(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data["machines"]["turner"]
    return found


CASES: list[tuple[Change, str]] = [
    (lambda d: d.update(steps=1), "there is no such key; found 'steps'"),
    (lambda d: d.pop("machines"), "the key machines is missing"),
    (lambda d: d.update(machines={}), "machines: there is no machine"),
    (lambda d: d.update(inputs="rot"), "inputs: not a list"),
    (lambda d: d.update(events=["rot"]), "events: rot is already in inputs"),
    (lambda d: d.update(inputs=["rot", "rot"]), "inputs: this name occurs twice"),
    (lambda d: d.update(inputs=["lambda"]), "inputs: this name is reserved"),
    (lambda d: d.update(inputs=["__x"]), "inputs: this name is reserved"),
    (lambda d: d.update(inputs=["a b"]), "inputs: not a valid name"),
    (lambda d: d.update(advance="twice"), "advance: not one of the choices; found 'twice'"),
    (lambda d: d.update(max_cycles=0), "max_cycles: not a valid number; found 0"),
    (lambda d: turner(d).update(initial="GONE"), r"turner\.initial: there is no such state"),
    (lambda d: turner(d).update(on_inactive="sleep"), r"turner\.on_inactive: not one of the"),
    (lambda d: turner(d)["init"].update(rot=1), r"init\.rot: an input cannot be set"),
    (lambda d: turner(d)["init"].update(n="text"), r"init\.n: a signal cannot have this value"),
    (
        lambda d: turner(d)["init"].update(n=float("nan")),
        r"init\.n: a signal cannot have this value",
    ),
    (lambda d: turner(d)["states"].update(TOP=[]), r"turner\.states\.TOP: this name is reserved"),
    (lambda d: arc(d).pop("if"), r"LISTEN\.0: the key if is missing"),
    (lambda d: arc(d).update(to="GONE"), r"LISTEN\.0\.to: there is no such state; found 'GONE'"),
    (lambda d: arc(d).update(pop=-1), r"LISTEN\.0\.pop: not a valid number; found -1"),
    (lambda d: arc(d).update(push=["GONE"]), r"LISTEN\.0\.push: there is no such state"),
    (lambda d: arc(d).update({"if": "go; exit()"}), r"LISTEN\.0\.if: the expression is wrong"),
    (lambda d: arc(d).update({"if": ""}), r"LISTEN\.0\.if: not an expression"),
    (lambda d: arc(d)["do"].update(go=True), r"LISTEN\.0\.do\.go: an event cannot be set"),
    (lambda d: arc(d)["do"].update(busy="f(1)"), r"do\.busy: the expression is wrong: there is no"),
    (lambda d: arc(d).update(do={"while": 1}), r"LISTEN\.0\.do: this name is reserved"),
    (
        lambda d: d["machines"].update(other={**turner(d), "init": {"busy": True}}),
        r"other\.init\.busy: turner begins with False",
    ),
]


def test_the_good_one_is_read() -> None:
    assert read_network(GOOD).signals == ("rot", "go", "busy")


@pytest.mark.parametrize(("change", "says"), CASES)
def test_it_is_refused(change: Change, says: str) -> None:
    data = copy.deepcopy(GOOD)
    change(data)
    with pytest.raises(NetworkError, match=says):
        read_network(data)
