"""Plots of what models other than the main one compute."""

from __future__ import annotations

import numpy as np
from support.made_episode import made_episode, observed, seconds

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import AttributeSpec, Floats, Meaning
from hetwin_suite.view.figures import Chart, Line, Plot
from hetwin_suite.view.report.plots import attribute_plots

HEAT, CHARGE = AttributeSpec("temperature", 1, "K"), AttributeSpec("charge", 1, "A s")
CELLS = [Entity(name, EntityKind.OBJECT) for name in ("cell_a", "cell_b")]
ARM = Entity("arm", EntityKind.ROBOT, joints=("shoulder", "elbow"))


def plots(values: dict[tuple[str, AttributeSpec], Floats], model: str = "cells") -> list[Plot]:
    owners = {(entity, attribute.name): model for entity, attribute in values}
    events = [observed("too_hot", 4.0, model, cell="cell_a")]
    return list(attribute_plots(made_episode([*CELLS, ARM], values, owners=owners, events=events)))


def chart(plot: Plot) -> Chart:
    assert isinstance(plot.figure, Chart)
    return plot.figure


def lines(plot: Plot) -> dict[str, Line]:
    return {line.name: line for line in chart(plot).panels[0].lines}


def test_an_attribute_has_a_plot_with_its_unit_and_its_model() -> None:
    heat = 300.0 + 5.0 * seconds()
    (plot,) = plots({("cell_a", HEAT): heat})
    assert plot.title == "Temperature of cell_a"
    assert plot.text == "Computed by cells."
    assert chart(plot).panels[0].y.title == "temperature [K]"
    (line,) = lines(plot).values()
    np.testing.assert_allclose(np.asarray(line.y), heat, rtol=1e-6)
    assert (line.unit, line.decimals) == ("K", -1)


def test_its_models_events_are_marked() -> None:
    (plot,) = plots({("cell_a", HEAT): seconds()})
    assert chart(plot).marks == [4.0]


def test_the_same_attribute_of_several_things_is_one_plot() -> None:
    heat, charge = plots(
        {
            ("cell_a", HEAT): seconds(),
            ("cell_b", HEAT): 2 * seconds(),
            ("cell_b", CHARGE): seconds(),
        }
    )
    assert (heat.title, set(lines(heat))) == ("Temperature of 2 things", {"cell_a", "cell_b"})
    assert charge.title == "Charge of cell_b"


def test_numbers_of_a_robot_are_named_after_its_joints() -> None:
    strain = AttributeSpec("strain", 2)
    (plot,) = plots({("arm", strain): np.stack([seconds(), 2 * seconds()], axis=1)})
    assert list(lines(plot)) == ["shoulder", "elbow"]
    assert chart(plot).panels[0].y.title == "strain"


def test_of_many_numbers_those_that_change_most_are_drawn() -> None:
    field = AttributeSpec("field", 20)
    values = np.outer(seconds(), np.arange(20.0))
    (plot,) = plots({("cell_a", field): values})
    assert list(lines(plot)) == [str(i) for i in range(13, 21)]
    assert plot.text == "Computed by cells. 12 that change less are left out."


def test_what_the_main_model_and_the_robots_watcher_compute_is_left_out() -> None:
    assert plots({("cell_a", HEAT): seconds()}, "physics") == []
    assert plots({("arm", AttributeSpec("joint_deviation", 1)): seconds()}, "robot_health") == []


def test_predicates_and_what_never_has_a_value_are_left_out() -> None:
    assert plots({("cell_a", AttributeSpec("full", 1, "", Meaning.TRUTH)): seconds()}) == []
    assert plots({("cell_a", HEAT): np.full(len(seconds()), np.nan)}) == []
