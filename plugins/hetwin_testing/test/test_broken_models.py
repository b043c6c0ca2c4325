"""A model that breaks the contract fails the check that is about it, with a text that names what is wrong."""

from __future__ import annotations

import pytest
from support import broken_models

from hetwin_testing.suite import check_model

BROKEN = {
    "NoSummary": ("declaration", "expected one sentence"),
    "NoRate": ("declaration", "the rate is 0.0; expected a positive number"),
    "ListedSummary": ("declaration", "expected one sentence"),
    "NoStepping": ("declaration", "stepping is 'sometimes'; expected a Stepping"),
    "OtherThreshold": (
        "declaration",
        "its threshold 'cold' is not a parameter; expected one of ['strays']",
    ),
    "TakesOnly": ("declaration", "it has take, but no release"),
    "TwoOfAName": ("declaration", "provides has a name twice: ['a', 'a']"),
    "FreeMain": ("declaration", "must be stepped by service"),
    "WantsArguments": (
        "constructor without arguments",
        "'size'; expected a constructor that takes no",
    ),
    "Slow": ("constructor without arguments", "costly work belongs in initialize"),
    "WrongDefault": ("parameters", "p: the default 'x' is not of kind number"),
    "WantsText": (
        "parameters",
        "title (text) has no value that could be invented; give one with --parameters",
    ),
    "Raises": ("initialize", "ZeroDivisionError: division by zero"),
    "OldEntity": ("initialize", "the entity 'box', which exists already"),
    "Undeclared": ("initialize", "contributes box.charge, but provides only temperature"),
    "NotFinite": ("initialize", "expected 1 finite float64 numbers"),
    "StartFails": ("start", "KeyError"),
    "NoOutput": ("step", "returns dict; expected Changes, or nothing"),
    "TimeStandsStill": ("step", "it returns changes of 0.000000000 s; it was asked to step to 0.1"),
    "WrongSize": ("step", "cup.temperature must be 1 finite float64 numbers"),
    "BecomesNaN": ("step", "at 1.100000 s: cup.temperature must be 1 finite"),
    "Strays": ("step", "returns box.pose, which it is not responsible for"),
    "FutureEvent": ("step", "the event cold has the time 0.1000 s, after the end of the step"),
    "NoJson": ("step", "arguments of the event cold are not JSON"),
    "Block": ("step", "only the main model may"),
    "Ends": ("step", "only the main model may"),
    "SameArray": ("step", "changes the array of cup.temperature after returning it"),
    "WritesIntoTheScene": ("step", "read-only"),
    "Rolls": ("same seed and input, same bits", "two instances differ from step 11 on"),
    "AcceptsAll": ("refusal of what it does not know", "no_such_thing.temperature is accepted"),
    "RaisesInTake": ("refusal of what it does not know", "raises KeyError"),
    "AcceptsCommands": (
        "refusal of unknown commands",
        "command no_such_thing is accepted; expected Refused",
    ),
    "Forgets": ("take and release", "right after it was taken as"),
    "ReleasesInTheHand": ("take and release", "in the frame 'hand'; expected the world"),
    "TakesInSpite": ("take and release", "which it is not responsible for"),
    "SavesTooLittle": (
        "save and restore",
        "differs from an uninterrupted instance from step 13 on, when saved after step 12",
    ),
    "SavesAnObject": ("save and restore", "saves its state.layout as object; expected what JSON"),
    "RefusesItsState": ("save and restore", "refuses its own saved state: not this one"),
    "StopsOnce": ("stop, and stop again", "AttributeError"),
    "BlockTooShort": ("step", "shape (25,)"),
    "ProximityTooNarrow": (
        "step",
        "the table proximity is float64 of shape (1, 3); expected float64 of shape (n, 12)",
    ),
    "EndedIsANumber": ("step", "ended is 0; expected true or false"),
    "NeverTakesBack": ("take and release", "does not take ball.pose back after it was released"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_it_is_found_and_named(name: str) -> None:
    check, text = BROKEN[name]
    failed = {r.check: r.detail for r in check_model(f"support.broken_models:{name}") if not r.ok}
    assert check in failed
    assert text in failed[check]


def test_each_broken_model_is_tested() -> None:
    own = {
        name
        for name, what in vars(broken_models).items()
        if isinstance(what, type) and what.__module__ == broken_models.__name__
    }
    assert own - {"Changed", "WrongSettings", "TitledSettings"} == set(BROKEN)


def test_a_value_for_a_parameter_can_be_given() -> None:
    results = check_model("support.broken_models:WantsText", {"title": "cup"})
    assert all(r.ok for r in results)


def test_a_given_parameter_must_exist() -> None:
    results = check_model("support.toys:ToyCup", {"tilte": "cup"})
    assert [r.detail for r in results if not r.ok] == [
        "has no parameter 'tilte'; expected one of ['strays']"
    ]
