"""Parameters come from the model's entry, else from the request's default; what cannot be is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from support.small_ensemble import HEADER, Watcher, conduct

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Contribution
from hetwin_core.ensemble.parameters import ParameterKind, ParameterRequest


class Asker(Watcher):
    """Asks for the one parameter that a test sets."""

    request = ParameterRequest("p", ParameterKind.NUMBER)

    @classmethod
    def requests(cls) -> Sequence[ParameterRequest]:
        return (cls.request,)

    def contribute(self, given: Mapping[str, Any], seed: int) -> Contribution:
        self.got = given["p"]
        self.stops = 0
        return Contribution()


def resolved(
    monkeypatch: pytest.MonkeyPatch, request: ParameterRequest, written: str | None
) -> Any:
    monkeypatch.setattr(Asker, "request", request)
    parameters = "" if written is None else f", parameters: {{p: {written}}}"
    text = HEADER + f'  a: {{type: "test_parameters_resolved:Asker"{parameters}}}\n'
    text += "entities: {ball: {tags: [round]}}\n"
    conductor, ports, _ = conduct(text)
    conductor.prepare()
    return ports[1].model.got  # type: ignore[attr-defined]


GOOD = [
    (ParameterKind.NUMBER, "2", 2.0),
    (ParameterKind.INTEGER, "2", 2),
    (ParameterKind.INTEGER, "2.0", 2),
    (ParameterKind.TEXT, "yes", "yes"),
    (ParameterKind.BOOLEAN, "true", True),
    (ParameterKind.VECTOR, "[1, 2.5]", [1.0, 2.5]),
    (ParameterKind.ANY, "{a: [1]}", {"a": [1]}),
    (ParameterKind.ENTITY, "ball", "ball"),
    (ParameterKind.ENTITIES, "graspable", ["ball"]),
    (ParameterKind.ENTITIES, "[hand, ball]", ["hand", "ball"]),
    (ParameterKind.MODEL, "physics", "1:physics"),
    (ParameterKind.POSE, "[0, 0, 0, 1, 0, 0, 0]", [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
    (ParameterKind.POSE, "ball", [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
]


@pytest.mark.parametrize(("kind", "written", "expected"), GOOD)
def test_what_is_written_is_resolved(
    kind: ParameterKind, written: str, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    got = resolved(monkeypatch, ParameterRequest("p", kind), written)
    assert got == expected
    assert type(got) is type(expected)


BAD = [
    (ParameterKind.NUMBER, "two", "a number"),
    (ParameterKind.NUMBER, ".nan", "a number"),
    (ParameterKind.NUMBER, "true", "a number"),
    (ParameterKind.NUMBER, "1.0e+400", "a number"),
    (ParameterKind.INTEGER, "2.5", "a whole number"),
    (ParameterKind.TEXT, "2", "text"),
    (ParameterKind.BOOLEAN, "yes", "true or false"),
    (ParameterKind.VECTOR, "[1, x]", "a list of numbers"),
    (ParameterKind.VECTOR, "[1, .inf]", "a list of numbers"),
    (ParameterKind.ENTITY, "dog", "an entity: hand, ball"),
    (ParameterKind.ENTITY, "[ball]", "an entity: hand, ball"),
    (ParameterKind.ENTITIES, "[ball, dog]", "a tag, a pattern such as"),
    (ParameterKind.ENTITIES, "[[ball]]", "a tag, a pattern such as"),
    (ParameterKind.HAND, "ball", "a hand of the scenario: hand"),
    (ParameterKind.HAND, "[hand]", "a hand of the scenario: hand"),
    (ParameterKind.MODEL, "nobody", "a model: physics, a"),
    (ParameterKind.POSE, "[1, 2, 3]", "seven numbers"),
    (ParameterKind.POSE, "dog", "seven numbers, or an entity with a pose"),
    (ParameterKind.PATH, "nowhere.sdf", "a file"),
]


@pytest.mark.parametrize(("kind", "written", "expected"), BAD)
def test_what_cannot_be_used_names_model_and_parameter(
    kind: ParameterKind, written: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput) as error:
        resolved(monkeypatch, ParameterRequest("p", kind), written)
    assert "small.yaml: line 6, models.a.parameters.p: a: parameter p:" in str(error.value)
    assert error.value.expected is not None
    assert expected in error.value.expected
    assert error.value.found is not None


def test_a_missing_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    request = ParameterRequest("p", ParameterKind.NUMBER, "how far")
    with pytest.raises(BadInput, match=r"a: parameter p: this parameter is missing.*how far"):
        resolved(monkeypatch, request, None)


def test_one_that_nobody_asks_for_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    request = ParameterRequest("q", ParameterKind.NUMBER, required=False)
    with pytest.raises(
        BadInput, match=r"the model has no such parameter; found 'p'; expected one of q"
    ):
        resolved(monkeypatch, request, "1")


@pytest.mark.parametrize(
    ("kind", "default", "expected"),
    [
        (ParameterKind.NUMBER, 3, 3.0),
        (ParameterKind.NUMBER, None, None),
        (ParameterKind.ENTITIES, "graspable", ["ball"]),
    ],
)
def test_a_default_is_resolved_like_what_is_written(
    kind: ParameterKind, default: Any, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = ParameterRequest("p", kind, required=False, default=default)
    assert resolved(monkeypatch, request, None) == expected


@pytest.mark.parametrize("kind", [ParameterKind.TEXT, ParameterKind.NUMBER, ParameterKind.ENTITY])
def test_null_is_as_good_as_nothing_where_nothing_is_the_default(
    kind: ParameterKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert resolved(monkeypatch, ParameterRequest("p", kind, required=False), "null") is None
    with pytest.raises(BadInput, match="this value cannot be used"):
        resolved(monkeypatch, ParameterRequest("p", kind), "null")
