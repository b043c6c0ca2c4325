"""What two runs were given differently."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from support.compared import models, side, stepped
from support.made_tables import MadeTables

from hetwin_compare.given import compare_given
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import POSE, Shape, ShapeKind

GIVEN: dict[str, Any] = {
    "scenario": {
        "models": {"grasp": {"type": "grasp_monitor", "rate": 50, "parameters": {"force": 2.0}}},
        "triggers": [{"name": "begins", "if": "true"}],
        "evaluators": {"target": "1"},
        "hands": {"right_hand": {"link": "palm"}},
    },
    "source": {"": {"recording": "a/bag"}},
    "seed": 1,
    "rate": 400.0,
    "duration": None,
    "engine": "mujoco",
    "files": {"world": "0f", "source": "aa"},
    "version": "0.1.0",
}


def changed(*keys: str, to: Any) -> dict[str, Any]:
    """The same, with one thing different."""
    found = deepcopy(GIVEN)
    place: Any = found
    for key in keys[:-1]:
        place = place[int(key)] if isinstance(place, list) else place[key]
    place[keys[-1]] = to
    return found


@pytest.mark.parametrize(
    ("other", "row"),
    [
        (changed("seed", to=2), ("seed", "seed", 1, 2)),
        (changed("engine", to="gz"), ("engine", "engine", "mujoco", "gz")),
        (changed("rate", to=200.0), ("rate", "rate", 400.0, 200.0)),
        (changed("version", to="0.2.0"), ("engine", "hetwin", "0.1.0", "0.2.0")),
        (changed("duration", to=2.0), ("parameter", "duration", None, 2.0)),
        (changed("files", "world", to="ff"), ("scene", "world", "0f", "ff")),
        (
            changed("scenario", "models", "grasp", "parameters", "force", to=3.0),
            ("parameter", "grasp.force", 2.0, 3.0),
        ),
        (
            changed("scenario", "models", "grasp", "parameters", "of", to={"box": {"mass": 3.0}}),
            ("parameter", "grasp.of.box.mass", None, 3.0),
        ),
        (changed("scenario", "models", "grasp", "rate", to=25), ("rate", "grasp", 50, 25)),
        (
            changed("scenario", "models", "grasp", "coupling", to="beside"),
            ("parameter", "grasp.coupling", None, "beside"),
        ),
        (
            changed("scenario", "triggers", "0", "if", to="false"),
            (
                "trigger",
                "begins",
                {"name": "begins", "if": "true"},
                {"name": "begins", "if": "false"},
            ),
        ),
        (
            changed("scenario", "evaluators", "target", to="2"),
            ("trigger", "evaluators.target", "1", "2"),
        ),
        (
            changed("scenario", "hands", "right_hand", to={"link": "base_link"}),
            ("parameter", "hands.right_hand", {"link": "palm"}, {"link": "base_link"}),
        ),
    ],
)
def test_each_thing_is_named(other: Mapping[str, Any], row: tuple[Any, ...]) -> None:
    known = models(grasp="grasp_monitor")
    here = side(given=GIVEN, models=known)
    assert compare_given(here, side(given=deepcopy(GIVEN), models=known)) == ()
    assert compare_given(here, side(given=other, models=known)) == (row,)


def test_a_recording_is_its_content() -> None:
    moved = changed("source", "", to={"recording": "b/bag"})
    assert compare_given(side(given=GIVEN), side(given=moved)) == ()
    another = {**moved, "files": {**GIVEN["files"], "source": "bb"}}
    expected = ("recording", "source", "a/bag", "b/bag")
    assert compare_given(side(given=GIVEN), side(given=another)) == (expected,)
    overwritten = changed("files", "source", to="bb")
    expected = ("recording", "source", "a/bag (aa)", "a/bag (bb)")
    assert compare_given(side(given=GIVEN), side(given=overwritten)) == (expected,)
    live = {**GIVEN, "source": {"": {"live": "", "timeout": 2}}, "files": {"world": "0f"}}
    assert compare_given(side(given=GIVEN), side(given=live)) == (
        ("recording", "source", "a/bag", "live:"),
        ("recording", "source.timeout", None, 2),
    )


def test_the_scene_is_what_stands_where() -> None:
    made = MadeTables()
    made.paths["box"] = stepped(made, (0.0, (0.1, 0.0, 0.0)))
    there = side(made, can=stepped(made))
    one, other = compare_given(side(), there)
    assert (one.what, one.name) == ("scene", "box")
    assert one.there == [0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert (other.name, other.here) == ("can", None)


def test_other_shapes_are_another_scene() -> None:
    run = side()
    layout = run.layout
    entities = [
        replace(entity, shapes=(Shape(ShapeKind.BOX, (0.04, 0.04, 0.1)),), mass=0.2)
        if entity.name == "box"
        else entity
        for entity in layout.entities
    ]
    slots = [(slot.entity, slot.attribute) for slot in layout.slots]
    assert POSE in dict(slots).values()
    other = replace(run, tables=replace(run.tables, layout=Layout.build(entities, slots)))
    assert compare_given(run, other) == (
        ("scene", "box.mass", 0.0, 0.2),
        ("scene", "box.shapes", "", "box 0.04 0.04 0.1"),
    )


def test_models_are_compared_by_their_types() -> None:
    here = side(models=models(hold="rigid_grasp", grasp="a"))
    there = side(models=models(grasp="b"))
    assert compare_given(here, there) == (
        ("model", "hold", "rigid_grasp", None),
        ("model", "grasp", "a", "b"),
    )


def test_logs_of_earlier_versions_say_seed_rate_source_and_engine() -> None:
    facts = {"seed": "1", "rate": "400.0", "source": "a"}
    here = side(facts=facts, summary={"engine": "mujoco"})
    there = side(facts={**facts, "seed": "2", "source": "b"}, summary={"engine": "gz"})
    assert compare_given(here, there) == (
        ("seed", "seed", 1, 2),
        ("engine", "engine", "mujoco", "gz"),
        ("recording", "source", "a", "b"),
    )
    assert compare_given(side(given=GIVEN), there)[0] == ("seed", "seed", 1, 2)
