"""What a model's class declares, what it contributes, and what its steps return."""

from __future__ import annotations

from typing import Generic

import numpy as np
import pytest

from hetwin_core.ensemble import model_abilities as abilities
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    MainContribution,
    MainModel,
    MainTick,
    Model,
    Request,
    RequestKind,
    Settings,
    Tick,
)
from hetwin_core.ensemble.parameters import EntityName, Parameters
from hetwin_core.ensemble.scene.layout import EVERYTHING, Layout, Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec

CHARGE = AttributeSpec("charge", 1, "J")
EMPTY = Snapshot(
    Layout.build([], []), (), 0, np.empty(0), np.empty(0, np.int32), np.empty(0, np.int32)
)
TICK = Tick(30_000_000, 20_000_000, EMPTY)


class CellSettings(Parameters):
    robot: EntityName
    charge: float = 5.0


class Cell(Model[CellSettings]):
    """A cell that drains by chance.

    Not of the summary.
    """

    provides = (CHARGE,)

    def initialize(self, settings: CellSettings, scene: Contribution) -> None:
        self.joules = settings.charge
        scene.set(settings.robot, "charge", self.joules)
        scene.needs()

    def step(self, tick: Tick) -> Changes:
        self.joules -= self.random.random() * tick.period
        return tick.changes().set(self.settings.robot, CHARGE, self.joules)


class BigCell(Cell):
    summary = "A big one."


class Ball(Model[Settings], Generic[Settings]):
    """A base of others."""

    def step(self, tick: Tick) -> None:
        pass


class ColouredBall(Ball[CellSettings]):
    """A coloured ball."""


class Clock(MainModel):
    """The main model."""

    def step(self, tick: MainTick) -> None:  # type: ignore[override]
        pass


def test_a_class_declares_its_settings_and_its_summary() -> None:
    assert (Cell.summary, BigCell.summary) == ("A cell that drains by chance.", "A big one.")
    assert Ball.settings_class is Parameters
    for cls in (Cell, BigCell, ColouredBall):
        assert cls.settings_class is CellSettings
        assert [request.name for request in cls.requests()] == ["robot", "charge"]
    assert (Cell.can_be_main, Clock.can_be_main) == (False, True)


def test_it_contributes_what_it_sets_by_name_or_by_attribute() -> None:
    scene = Cell().contribute({"robot": "arm", "charge": 3}, 7)
    (start,) = scene.attributes
    assert (start.entity, start.attribute, start.value.data.tolist()) == ("arm", CHARGE, [3.0])
    assert list(scene.reads) == []
    scene.set("ball", POSE, np.arange(13), "arm")
    assert scene.attributes[1].value.parent == "arm"
    with pytest.raises(ValueError, match="does not provide 'colour'; it provides charge"):
        scene.set("arm", "colour", 1.0)


def test_a_model_that_says_nothing_reads_everything_and_changes_nothing() -> None:
    scene = ColouredBall().contribute({"robot": "arm"}, 0)
    assert scene.reads == EVERYTHING
    scene.needs(("arm", "*"), ("*", "proximity"))
    assert scene.reads == (Selection("arm", "*"), Selection("*", "proximity"))
    scene.warn("the colour")
    assert scene.warnings == ("the colour",)
    assert isinstance(Clock().contribute({}, 0), MainContribution)


def test_changes_are_dated_and_hold_copies() -> None:
    numbers = np.ones(2)
    changes = TICK.changes().set("arm", "charge", numbers, "hand").set("arm", CHARGE.name + "s", 4)
    numbers[0] = 7.0
    value = changes.values["arm", "charge"]
    assert (value.data.tolist(), value.time_ns, value.parent) == ([1.0, 1.0], 30_000_000, "hand")
    assert changes.values["arm", "charges"].data.tolist() == [4.0]
    changes.event("low", robot="arm", name="cell").event("full", 5)
    assert changes.events == [
        Event("low", 30_000_000, arguments={"robot": "arm", "name": "cell"}),
        Event("full", 5),
    ]
    changes.take("box", POSE).give_back("box", "charge")
    assert changes.requests == [
        Request(RequestKind.TAKE, "box", "pose"),
        Request(RequestKind.GIVE_BACK, "box", "charge"),
    ]


def test_the_generator_is_seeded_saved_and_restored() -> None:
    one, other, third = (Cell() for _ in range(3))
    for cell, seed in ((one, 3), (other, 3), (third, 4)):
        cell.contribute({"robot": "arm"}, seed)
    drained = [cell.step(TICK).values["arm", "charge"].data[0] for cell in (one, other, third)]
    assert drained[0] == drained[1] != drained[2]
    saved = abilities.save(one)
    expected = [one.step(TICK).values["arm", "charge"].data[0] for _ in range(3)]
    abilities.restore(third, saved, EMPTY)
    assert [third.step(TICK).values["arm", "charge"].data[0] for _ in range(3)] == expected


def test_what_a_model_has_no_method_for_is_refused_or_nothing() -> None:
    cell = Cell()
    value = Cell.contribute(cell, {"robot": "arm"}, 0).attributes[0].value
    for call, text in (
        (lambda: abilities.take(cell, "arm", "charge", value, EMPTY), "cannot be responsible"),
        (lambda: abilities.release(cell, "arm", "charge", EMPTY), "is not responsible"),
        (lambda: abilities.place(cell, "arm", "charge", value, EMPTY), "is not responsible"),
        (lambda: abilities.command(cell, "fill", {}), "Cell has no command 'fill'"),
        (lambda: abilities.change(cell, {"charge": 1.0}), "cannot change charge in a run"),
    ):
        with pytest.raises(Refused, match=text):
            call()
    abilities.change(cell, {})
    assert abilities.compares(cell, EMPTY) is None
    assert abilities.learnable_parameters(Cell) == ()
