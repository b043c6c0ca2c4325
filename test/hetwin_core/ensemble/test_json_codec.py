"""What is told seldom becomes JSON text and is read back the same, to the bit."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.any_layout import a_layout, a_spec, a_value, any_text, name
from support.random_examples import examples

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import BadInput, HetwinError, Refused, RunFailed
from hetwin_core.ensemble.model import AttributeStart, Contribution, MainContribution
from hetwin_core.ensemble.scene.layout import Layout, Selection

quick = examples(50)
json_value = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def a_start(draw: st.DrawFn) -> AttributeStart:
    spec = draw(a_spec("heat"))
    return AttributeStart(draw(name), spec, draw(a_value(spec.size, ["world", "hand"])))


@quick
@given(
    a_layout(),
    st.lists(a_start(), max_size=3),
    st.lists(st.tuples(any_text, any_text), max_size=2),
    st.lists(any_text, max_size=2),
    st.none() | st.integers(0, 2**62),
    any_text,
)
def test_contributions(
    layout: Layout,
    starts: list[AttributeStart],
    reads: list[tuple[str, str]],
    warnings: list[str],
    duration: int | None,
    urdf: str,
) -> None:
    selections = [Selection(*pair) for pair in reads]
    told = MainContribution([], starts, selections, warnings=warnings, duration_ns=duration)
    told.robot_description, told.shown = urdf, {"by": urdf}
    back = json_codec.contribution_from_text(json_codec.contribution_to_text(told))
    assert isinstance(back, MainContribution)
    assert (back.reads, back.warnings, back.duration_ns) == (selections, warnings, duration)
    assert (back.robot_description, back.shown) == (urdf, {"by": urdf})
    for mine, theirs in zip(starts, back.attributes, strict=True):
        assert (mine.entity, mine.attribute) == (theirs.entity, theirs.attribute)
        assert (mine.value.time_ns, mine.value.parent) == (
            theirs.value.time_ns,
            theirs.value.parent,
        )
        assert mine.value.data.tobytes() == theirs.value.data.tobytes()
    with_entities = Contribution(layout.entities)
    again: Contribution = json_codec.contribution_from_text(
        json_codec.contribution_to_text(with_entities)
    )
    assert type(again) is Contribution
    assert [e.name for e in again.entities] == [e.name for e in layout.entities]


ERRORS = [
    BadInput("p", file="f", where="w", found="x", expected="y"),
    BadInput("p", found=3),
    BadInput("p", found=["a", 1]),
    BadInput("p"),
    Refused("no"),
    RunFailed("m", "step", 17, "r"),
]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_errors_are_raised_again_as_they_were(error: HetwinError) -> None:
    back = json_codec.error_from_text(json_codec.error_to_text(error), "other", "other", 0)
    assert type(back) is type(error)
    assert str(back).replace('"', "") == str(error).replace('"', "")
    json.loads(json_codec.error_to_text(error))


def test_any_other_error_is_a_failure_of_the_model() -> None:
    back = json_codec.error_from_text(
        json_codec.error_to_text(KeyError("x")), "arm", "take", 5_000_000
    )
    assert str(back) == "arm: take failed at 0.005000 s: KeyError: 'x'"


def test_every_key_of_a_contribution_may_be_absent() -> None:
    nothing = json_codec.contribution_from_text("")
    assert (list(nothing.entities), list(nothing.attributes)) == ([], [])
    assert list(nothing.reads) == [Selection("*", "*")]
    start = {"entity": "tea", "attribute": "heat", "data": [3]}
    told = {"entities": [{"name": "tea", "kind": "concept"}], "attributes": [start]}
    few = json_codec.contribution_from_text(json.dumps(told))
    assert not isinstance(few, MainContribution)
    assert few.entities[0].name == "tea"
    assert few.attributes[0].attribute.size == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no JSON", "this is not JSON"),
        ("[]", "expected a mapping"),
        ('{"readz": []}', "readz: unknown key"),
        ('{"entities": [{"name": "tea"}]}', "entities.0.kind: a key is missing"),
        (
            '{"attributes": [{"entity": "tea", "attribute": "heat"}]}',
            "attributes.0.data: a key is missing",
        ),
        ('{"reads": 3}', "reads: this value cannot be used"),
    ],
)
def test_a_key_of_a_contribution_that_is_wrong_is_named(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        json_codec.contribution_from_text(text)


def test_an_error_may_be_plain_text() -> None:
    error = json_codec.error_from_text("the motor is hot", "lift", "step", 0)
    assert isinstance(error, RunFailed)
    assert error.reason == "the motor is hot"
