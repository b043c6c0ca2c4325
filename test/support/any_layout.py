"""Strategies that make any layout and any value."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.scans import ScanPattern
from hetwin_core.ensemble.scene.values import (
    AttributeSpec,
    Floats,
    Meaning,
    Shape,
    ShapeKind,
    Value,
)

any_text = st.text(max_size=8)
name = st.text("abcXYZ_/:é", min_size=1, max_size=8)
finite = st.floats(allow_nan=False, allow_infinity=False)
any_number = st.floats(allow_nan=False)


def numbers(size: int) -> st.SearchStrategy[Floats]:
    return arrays.arrays(np.float64, size, elements=any_number)


@st.composite
def a_shape(draw: st.DrawFn) -> Shape:
    kind = draw(st.sampled_from(ShapeKind))
    mesh = kind is ShapeKind.MESH
    colour = st.tuples(*[st.floats(0, 1)] * 4)
    return Shape(
        kind,
        tuple(draw(st.lists(finite, max_size=3))),
        tuple(draw(st.lists(finite, min_size=7, max_size=7))),
        draw(colour),
        draw(st.booleans()),
        draw(arrays.arrays(np.float64, (4, 3), elements=finite)) if mesh else None,
        draw(arrays.arrays(np.int32, (2, 3), elements=st.integers(0, 3))) if mesh else None,
    )


@st.composite
def an_entity(draw: st.DrawFn, called: str) -> Entity:
    return Entity(
        called,
        draw(st.sampled_from(EntityKind)),
        tuple(draw(st.lists(any_text, max_size=2))),
        draw(any_text),
        draw(any_text),
        draw(any_text),
        tuple(draw(st.lists(any_text, max_size=2))),
        draw(st.floats(0, 1e9)),
        tuple(draw(st.lists(a_shape(), max_size=2))),
        draw(st.none() | a_scanner()),
    )


@st.composite
def a_scanner(draw: st.DrawFn) -> ScanPattern:
    pose = tuple(draw(st.lists(finite, min_size=7, max_size=7)))
    first, last, nearest, reach, rate = (draw(finite) for _ in range(5))
    return ScanPattern(
        draw(any_text), pose, first, last, draw(st.integers(2, 9)), nearest, reach, rate
    )


def a_spec(called: str) -> st.SearchStrategy[AttributeSpec]:
    return st.builds(
        AttributeSpec, st.just(called), st.integers(1, 13), any_text, st.sampled_from(Meaning)
    )


@st.composite
def a_layout(draw: st.DrawFn) -> Layout:
    names = draw(st.lists(name, min_size=1, max_size=3, unique=True))
    attributes = draw(st.lists(name, min_size=1, max_size=3, unique=True))
    entities = [draw(an_entity(called)) for called in names]
    slots = [(entity, draw(a_spec(a))) for entity in names for a in attributes]
    return Layout.build(entities, slots)


@st.composite
def a_value(draw: st.DrawFn, size: int, parents: list[str]) -> Value:
    return Value(draw(numbers(size)), draw(st.integers(0, 2**61)), draw(st.sampled_from(parents)))
