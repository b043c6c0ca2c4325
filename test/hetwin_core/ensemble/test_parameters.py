"""A model's parameters as a class: what it asks for follows from the fields, and what it gets is checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
from support.small_ensemble import HEADER, conduct

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Model, Tick
from hetwin_core.ensemble.parameters import (
    Amount,
    EntityName,
    EntityNames,
    File,
    Hand,
    ParameterKind,
    ParameterRequest,
    Parameters,
    Pose,
    parameter,
)
from hetwin_core.ensemble.scene.hands import HandDescription
from hetwin_core.ensemble.validation import Strict, Whole


class Layer(Strict):
    """A mapping inside of the parameters."""

    thickness: Amount = 0.0


class Settings(Parameters):
    """One field of each kind."""

    pan: EntityName = parameter("what is heated")
    heat: Amount = parameter("of the stove", 900.0, "W")
    burners: Whole = parameter("how many", 1, ge=1)
    lid: bool = parameter("whether it is closed", False)
    mode: Literal["fry", "boil"] = parameter("how", "fry")
    axis: list[float] = parameter("of the pan", [0.0, 0.0, 1.0])
    fresh: EntityNames = parameter("what is in it", "food")
    hand: Hand | None = parameter("that holds it", None)
    at: Pose | None = parameter("where", None)
    recipe: File | None = parameter("to follow", None)
    layers: dict[str, Layer] = parameter("of the pan", {})


KINDS = [
    "ENTITY",
    "NUMBER",
    "INTEGER",
    "BOOLEAN",
    "TEXT",
    "VECTOR",
    "ENTITIES",
    "HAND",
    "POSE",
    "PATH",
    "ANY",
]


def test_the_requests_follow_from_the_fields() -> None:
    requests = Settings.requests()
    assert [r.kind for r in requests] == [ParameterKind[kind] for kind in KINDS]
    assert requests[0] == ParameterRequest("pan", ParameterKind.ENTITY, "what is heated")
    heat = ParameterRequest("heat", ParameterKind.NUMBER, "of the stove", False, 900.0, "W")
    assert requests[1] == heat
    assert [r.default for r in requests[5:7]] == [[0.0, 0.0, 1.0], "food"]


def test_what_was_resolved_is_read() -> None:
    hand = {"name": "left", "robot": "r", "link": "palm", "joints": ["a", "b"]}
    read = Settings.read(
        {"pan": "pan", "fresh": ["egg"], "heat": 3, "hand": hand, "recipe": "/tmp/x"}
    )
    assert (read.heat, read.burners, read.fresh) == (3.0, 1, ("egg",))
    assert read.hand == HandDescription("left", "r", "palm", joints=("a", "b"))
    assert read.recipe == Path("/tmp/x")


@pytest.mark.parametrize(
    ("given", "where", "expected"),
    [
        ({"pan": ""}, "pan", "text of at least 1 character"),
        ({"heat": True}, "heat", "a valid number"),
        ({"heat": "3"}, "heat", "a valid number"),
        ({"heat": -1}, "heat", "greater than or equal to 0"),
        ({"burners": 1.5}, "burners", "a whole number"),
        ({"mode": "bake"}, "mode", "'fry' or 'boil'"),
        ({"hand": {"name": "left", "robot": "r"}}, "hand.link", "a value for 'link'"),
        ({"layers": {"top": {"thicknes": 1}}}, "layers.top.thicknes", "'thickness' perhaps"),
        ({"hat": 3}, "hat", "'heat' perhaps"),
    ],
)
def test_what_cannot_be_used_is_named(given: dict[str, Any], where: str, expected: str) -> None:
    with pytest.raises(BadInput) as error:
        Settings.read({"pan": "pan", "fresh": [], **given})
    assert error.value.where == where
    assert expected in str(error.value.expected)


class Stove(Model[Settings]):
    """A model of someone else's with such parameters."""

    def step(self, tick: Tick) -> None:
        pass


STOVE = f'{HEADER}  stove: {{type: "test_parameters:Stove", parameters: {{pan: ball, GIVEN}}}}\n'


def test_a_model_with_a_class_gets_its_parameters() -> None:
    conductor, ports, _ = conduct(STOVE.replace("GIVEN", "fresh: [ball], at: ball"))
    conductor.prepare()
    settings = ports[1].model.settings  # type: ignore[attr-defined]
    assert (settings.pan, settings.fresh, settings.at[2]) == ("ball", ("ball",), 1.0)


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ("layers: {top: {thicknes: 1}}", "layers.top.thicknes"),
        ("mode: bake", "mode"),
        ("burners: 0", "burners"),
    ],
)
def test_its_errors_name_file_line_and_key(given: str, where: str) -> None:
    conductor, _, _ = conduct(STOVE.replace("GIVEN", given))
    with pytest.raises(
        BadInput, match=rf"^small\.yaml: line 6, models\.stove\.parameters\.{where}: "
    ):
        conductor.prepare()
