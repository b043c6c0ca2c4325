"""The functions that expressions may call, on a scene of a hand, two objects and a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluation import EvaluationError
from hetwin_core.ensemble.expressions.evaluators import BUILT_IN, NUMBERS, all_evaluators
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, pose_value

LAYOUT = Layout.build(
    [
        Entity("hand", EntityKind.HAND),
        Entity("box", EntityKind.OBJECT, tags=("graspable",)),
        Entity("vase", EntityKind.OBJECT),
        Entity("table", EntityKind.STATIC),
    ],
    [
        *((name, POSE) for name in ("hand", "box", "vase", "table")),
        ("hand", AttributeSpec("holding")),
    ],
)


def scene(box_frame: int = -1, holding: float = 0.0) -> Snapshot:
    poses = [(0, 0, 1), (0, 0, 0.8), (0, 0.1, 1), (0, 0, 0)]
    values = np.concatenate([pose_value(p, linear=(0, 3, 4)).data for p in poses] + [[holding]])
    rows = np.zeros((1, 12))
    rows[0, :3] = (1, 3, 0.00005)
    owners = np.array([0, 1, 0, 0, 0], np.int32)
    parents = np.array([-1, box_frame, -1, -1, -1], np.int32)
    return Snapshot(
        LAYOUT, ("physics", "grasp"), 0, values, owners, parents, proximity_tables(rows)
    )


def value(text: str, seen: Snapshot | None = None) -> Any:
    seen = seen or scene()
    functions = {name: lambda *a, f=f: f(seen, *a) for name, f in all_evaluators().items()}
    return Expression(text).evaluate({}, functions)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("distance('hand', 'vase')", pytest.approx(0.1)),
        ("min(3, 2, 5)", 2),
        ("max(2, 2.5) + abs(-1.5)", 4.0),
        ("max(height('hand'), abs(-3.0)) < 3.1", True),
        ("distance('table', 'box')", pytest.approx(0.00005)),
        ("in_contact('box', 'table')", True),
        ("in_contact('vase', 'table')", False),
        ("exists('box') && !exists('dog')", True),
        ("tagged('box', 'graspable') && !tagged('vase', 'graspable')", True),
        ("owner('box', 'pose')", "grasp"),
        ("attribute('hand', 'pose', 2)", 1.0),
        ("height('vase')", 1.0),
        ("speed('vase')", 5.0),
        ("frame_of('box')", "world"),
        ("nearest_object('hand')", "vase"),
        ("nearest_object('hand', {'kind': 'graspable'})", "box"),
        ("nearest_object('hand', {'within': 0.01})", None),
        ("nearest_object('vase')", "box"),
        ("held_object('hand')", None),
        ("hand_free('hand')", True),
        ("[1, 2].map(x, x * 2)", [2, 4]),
        ("'a' in {'a': 1} ? 'yes' : 'no'", "yes"),
    ],
)
def test_what_it_gives(text: str, expected: Any) -> None:
    assert value(text) == expected


def test_a_hand_is_not_free_if_a_pose_is_given_in_its_frame_or_it_says_so() -> None:
    assert value("held_object('hand')", scene(box_frame=0)) == "box"
    assert value("frame_of('box')", scene(box_frame=0)) == "hand"
    assert value("hand_free('hand')", scene(box_frame=0)) is False
    assert value("hand_free('hand')", scene(holding=1.0)) is False


@pytest.mark.parametrize(
    "text",
    ["speed('dog')", "hand_free('dog')", "owner('box', 'x')", "attribute('box', 'pose', 13)"],
)
def test_what_does_not_exist_has_no_value(text: str) -> None:
    with pytest.raises(EvaluationError):
        value(text)


@pytest.mark.parametrize("text", ["", "1 +", "a b", "'x", "f(", "x = 1", "import os"])
def test_wrong_syntax_is_bad_input_with_its_place(text: str) -> None:
    with pytest.raises(BadInput, match=r"triggers\.0\.if: the expression has a syntax error"):
        Expression(text, "triggers.0.if")


@pytest.mark.parametrize("text", ["__import__('os')", "exec('x')", "eval('1')"])
def test_python_cannot_be_reached(text: str) -> None:
    with pytest.raises(BadInput, match="unknown evaluator"):
        Expression(text).check_names(all_evaluators(), ())


def test_a_name_bound_in_a_comprehension_is_no_variable() -> None:
    assert Expression("[1].exists(x, x > limit)").variables == {"limit"}


def test_every_evaluator_says_how_it_is_called() -> None:
    for name, function in {**NUMBERS, **BUILT_IN}.items():
        assert (function.__doc__ or "").startswith(f"{name}(")
