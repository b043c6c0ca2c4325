"""A layout becomes JSON and is read back the same, to the bit."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from support.any_layout import a_layout
from support.random_examples import examples

from hetwin_core.ensemble.scene.layout import (
    Entity,
    EntityKind,
    Layout,
    Selection,
    layout_from_json,
    layout_to_json,
)
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Shape

quick = examples(50)


def same_shape(a: Shape, b: Shape) -> bool:
    plain = (a.kind, a.size, a.pose, a.rgba, a.collides) == (
        b.kind,
        b.size,
        b.pose,
        b.rgba,
        b.collides,
    )
    meshes = [(a.vertices, b.vertices), (a.faces, b.faces)]
    return plain and all(
        x is y is None
        or (x is not None and y is not None and x.dtype == y.dtype and x.tobytes() == y.tobytes())
        for x, y in meshes
    )


@quick
@given(a_layout())
def test_round_trip(layout: Layout) -> None:
    back = layout_from_json(json.loads(json.dumps(layout_to_json(layout), allow_nan=False)))
    assert back.slots == layout.slots
    assert back.size == layout.size
    for mine, theirs in zip(layout.entities, back.entities, strict=True):
        assert all(same_shape(a, b) for a, b in zip(mine.shapes, theirs.shapes, strict=True))
        fields = ("name", "kind", "tags", "owner", "parent", "joint", "joints", "mass", "scanner")
        assert [getattr(mine, f) for f in fields] == [getattr(theirs, f) for f in fields]


@quick
@given(a_layout())
def test_slots_lie_one_after_the_other(layout: Layout) -> None:
    indices = np.concatenate([layout.indices([i]) for i in range(len(layout.slots))])
    assert indices.tolist() == list(range(layout.size))


@pytest.mark.parametrize(
    "data", [{}, {"slots": 1, "entities": [], "size": 0}, {"slots": [{}], "entities": []}]
)
def test_what_is_no_layout(data: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        layout_from_json(data)


def test_selecting() -> None:
    entities = [Entity("left_hand", EntityKind.HAND), Entity("box", EntityKind.OBJECT)]
    heat = AttributeSpec("heat")
    slots = [("left_hand", POSE), ("box", POSE), ("box", heat)]
    layout = Layout.build(entities, slots)
    assert layout.select([Selection("*hand")]) == [0]
    assert layout.select([Selection("box", "p*"), Selection("*", "heat")]) == [1, 2]
    assert layout.select([]) == []
    assert layout.range_of("box", "heat") == slice(26, 27)
    assert layout.entity_id("world") == -1
    assert [e.name for e in layout.of_kind(EntityKind.OBJECT)] == ["box"]
