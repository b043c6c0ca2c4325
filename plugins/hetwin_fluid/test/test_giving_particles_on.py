"""Particles that leave a cup become objects of the main model, fall into another cup, or are gone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from jug import PERIOD_NS, Filled, at_rest, tilted
from support.scene_of import scene_of

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.model import RequestKind
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import pose_value


def with_drops(filled: Filled) -> Snapshot:
    """The scene with two spare objects."""
    drops = [Entity(f"drop_{i}", EntityKind.OBJECT) for i in (1, 2)]
    poses = {d.name: pose_value((5.0 + i, 0.0, 0.0)).data for i, d in enumerate(drops)}
    return scene_of(
        [filled.entity, *drops],
        {filled.entity.name: at_rest(0.0), **poses},
        time_ns=filled.steps * PERIOD_NS,
    )


def test_spare_objects_take_the_place_of_the_first_that_leave() -> None:
    motion = tilted(2.2, 1.0)
    filled = Filled(motion, particles=20)
    scene = with_drops(filled)
    for name in ("drop_1", "drop_2"):
        filled.model.take(name, "pose", pose_value(scene.pose(name)[:3]), scene)
    waiting = filled.go(0.1, motion)[-1]
    assert waiting.values["drop_1", "pose"].data[:3] == pytest.approx([5.0, 0.0, 0.0])
    outputs = filled.go(2.0, motion)
    asked = [(r.kind, r.entity, r.attribute) for o in outputs for r in o.requests]
    assert asked == [(RequestKind.GIVE_BACK, f"drop_{i}", "pose") for i in (1, 2)]
    first = next(o for o in outputs if o.requests)
    (spilled,) = (e.arguments for e in first.events if e.name == "spilled")
    value = first.values["drop_1", "pose"].data
    positions: Any = spilled["positions"]
    assert value[:3] == pytest.approx(positions[0], abs=1e-4)
    released = filled.model.release("drop_1", "pose", with_drops(filled))
    assert np.isfinite(released.data).all()
    with pytest.raises(Refused):
        filled.model.release("drop_1", "pose", with_drops(filled))


def test_a_spare_that_was_not_used_is_released_as_it_was_taken() -> None:
    filled = Filled(particles=2)
    scene = with_drops(filled)
    value = pose_value((5.0, 0.0, 0.0), linear=(0.1, 0.0, 0.0), time_ns=scene.time_ns)
    filled.model.take("drop_1", "pose", value, scene)
    assert filled.model.release("drop_1", "pose", scene).data.tobytes() == value.data.tobytes()


@pytest.mark.parametrize("what", [("jug", "pose"), ("jug", "particles"), ("no_one", "pose")])
def test_nothing_else_is_taken(what: tuple[str, str]) -> None:
    filled = Filled(particles=2)
    with pytest.raises(Refused):
        filled.model.take(*what, pose_value((0.0, 0.0, 0.0)), with_drops(filled))


def pour(filled: Filled, x: float, count: int = 4) -> None:
    positions = [[x + 0.004 * i, 0.0, 1.10 + 0.013 * i] for i in range(count)]
    arguments: dict[str, Any] = {"positions": positions, "velocities": [[0.0, 0.0, -0.5]] * count}
    filled.model.command("add", arguments)


def test_what_falls_into_the_cup_is_caught() -> None:
    filled = Filled(particles=0, capacity=8)
    filled.go(0.05)
    pour(filled, -0.006)
    filled.go(0.01)
    assert filled.count == 0, "they are still in the air"
    filled.go(1.0)
    assert filled.count == 4
    assert [e["total"] for e in filled.events("caught")][-1] == 4
    assert filled.events("spilled") == []
    assert filled.told("external_wrench")[2] < 0


def test_what_misses_the_cup_is_told_as_spilled() -> None:
    filled = Filled(particles=0, capacity=8)
    pour(filled, 0.06)
    filled.go(1.0)
    assert filled.count == 0
    assert sum(e["count"] for e in filled.events("spilled")) == 4
    assert filled.events("caught") == filled.events("empty") == []


def test_hard_impacts_do_not_go_through_the_bottom() -> None:
    filled = Filled(particles=0, capacity=8)
    places = [[0.0, 0.0, 1.2], [0.008, 0.008, 1.25]]
    filled.model.command("add", {"positions": places, "velocities": [[0.0, 0.0, -4.0]] * 2})
    filled.go(1.0)
    assert filled.count == 2
    assert filled.events("spilled") == []


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("stir", {}, "has no command 'stir'"),
        ("add", {}, "needs positions and velocities"),
        ("add", {"positions": [[0, 0, 1]], "velocities": []}, "1 positions and 0 velocities"),
        ("add", {"positions": "here", "velocities": "fast"}, "three numbers each"),
        ("add", {"positions": [[0, 0, 1]] * 9, "velocities": [[0, 0, 0]] * 9}, "room for 8 more"),
    ],
)
def test_commands_that_make_no_sense_are_refused(
    name: str, arguments: dict[str, Any], why: str
) -> None:
    filled = Filled(particles=0, capacity=8)
    with pytest.raises(Refused, match=why):
        filled.model.command(name, arguments)
    filled.go(0.1)
    assert filled.count == 0
