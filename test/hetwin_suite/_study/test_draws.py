"""What is drawn for a run depends on the seed and the index, and has the spread that the scenario says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hetwin_core.ensemble.scenario.uncertainty import Uncertain
from hetwin_core.ensemble.validation import check
from hetwin_suite._study.uncertain import (
    UncertainParameter,
    UncertainPose,
    UncertainQuantity,
    Uncertainty,
)

AT = np.array([0.5, -0.2, 0.8, 1.0, 0.0, 0.0, 0.0])
ABOVE = np.array([0.5, -0.1, 1.0, 1.0, 0.0, 0.0, 0.0])
RUNS = 2000


def said(**written: Any) -> Uncertain:
    """What a scenario says of one entity."""
    return check(Uncertain, written)


def placed(**spread: Any) -> Uncertainty:
    """A box whose pose is uncertain, with a cup on it."""
    pose = said(pose=spread).pose
    assert pose is not None
    return Uncertainty("physics", (UncertainPose("box", pose, {"box": AT, "cup": ABOVE}),))


def column(uncertainty: Uncertainty, name: str) -> Any:
    """One input of many runs."""
    return np.array([uncertainty.draw(5, index).inputs[name] for index in range(RUNS)])


def test_a_draw_depends_on_seed_and_index_alone() -> None:
    uncertainty = placed(sigma=[0.02, 0.01, 0], yaw=0.1)
    assert uncertainty.draw(1, 7) == uncertainty.draw(1, 7)
    others = [uncertainty.draw(1, 8), uncertainty.draw(2, 7)]
    assert all(other.inputs != uncertainty.draw(1, 7).inputs for other in others)
    assert all(other.seed != uncertainty.draw(1, 7).seed for other in others)


def test_what_else_is_uncertain_does_not_change_a_draw() -> None:
    mass = said(mass={"factor": 0.1}).mass
    assert mass is not None
    alone = placed(yaw=0.1)
    both = Uncertainty("physics", alone.placed, (UncertainQuantity("box", "mass", mass, 0.4),))
    assert both.draw(3, 4).inputs["box.pose.yaw"] == alone.draw(3, 4).inputs["box.pose.yaw"]


def test_places_have_the_spread_that_is_said() -> None:
    uncertainty = placed(sigma=[0.02, 0.01, 0], yaw=0.1)
    assert list(uncertainty.draw(5, 0).inputs) == ["box.pose.x", "box.pose.y", "box.pose.yaw"]
    assert column(uncertainty, "box.pose.x").std() == pytest.approx(0.02, rel=0.1)
    assert column(uncertainty, "box.pose.y").std() == pytest.approx(0.01, rel=0.1)
    assert column(uncertainty, "box.pose.yaw").std() == pytest.approx(0.1, rel=0.1)


def test_what_is_carried_moves_and_turns_with_it() -> None:
    draw = placed(sigma=[0.02, 0.01, 0], yaw=0.4).draw(5, 3)
    box, cup = (np.array(draw.scene[name]["pose"]) for name in ("box", "cup"))
    inputs = draw.inputs
    assert box[:3] - AT[:3] == pytest.approx([inputs["box.pose.x"], inputs["box.pose.y"], 0.0])
    yaw: Any = inputs["box.pose.yaw"]
    assert cup[:3] - box[:3] == pytest.approx([-0.1 * np.sin(yaw), 0.1 * np.cos(yaw), 0.2])
    assert cup[3:] == pytest.approx([np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)])


def test_a_mixture_draws_its_parts_by_their_weights() -> None:
    uncertainty = placed(mixture=[{}, {"away": [0.07, 0.1]}], weights=[0.9, 0.1])
    parts = column(uncertainty, "box.pose.part")
    distance = np.hypot(column(uncertainty, "box.pose.x"), column(uncertainty, "box.pose.y"))
    assert parts.mean() == pytest.approx(0.1, abs=0.03)
    assert not distance[parts == 0].any()
    assert distance[parts == 1].min() >= 0.07
    assert distance[parts == 1].max() <= 0.1


def physical(aspect: str, nominal: float = 1.0, **spread: Any) -> Uncertainty:
    """A box of which something is uncertain."""
    number = getattr(said(**{aspect: spread}), aspect)
    return Uncertainty("physics", (), (UncertainQuantity("box", aspect, number, nominal),))


@pytest.mark.parametrize(
    ("uncertainty", "parameter", "expected"),
    [
        (physical("mass", 0.4, values=[0.8]), "mass", 2.0),
        (physical("friction", values=[0.3]), "friction", 0.3),
        (physical("bounce", between=[0.5, 0.5]), "bounce", 0.5),
    ],
)
def test_the_main_model_is_told_what_is_drawn(
    uncertainty: Uncertainty, parameter: str, expected: float
) -> None:
    body = uncertainty.draw(1, 1).parameters["physics"]["bodies"]["box"]
    assert body == {parameter: pytest.approx(expected)}


def test_a_factor_is_positive_and_has_its_relative_spread() -> None:
    drawn = column(physical("friction", factor=0.1), "box.friction")
    assert drawn.min() > 0.0
    assert np.log(drawn).std() == pytest.approx(0.1, rel=0.1)


def test_what_the_scenario_says_itself_is_kept() -> None:
    own = {"box": {"mass": 2.0}, "cup": {"friction": 0.1}}
    number = said(mass={"values": [0.8]}).mass
    assert number is not None
    uncertainty = Uncertainty(
        "physics", (), (UncertainQuantity("box", "mass", number, 0.8),), bodies=own
    )
    assert uncertainty.draw(1, 1).parameters == {"physics": {"bodies": own}}


def test_a_parameter_of_a_model_is_drawn_about_its_value() -> None:
    number = said(hold={"sigma": 0.5}).parameters["hold"]
    uncertainty = Uncertainty("physics", varied=(UncertainParameter("grasp", "hold", number, 3.0),))
    draw = uncertainty.draw(1, 1)
    offset: Any = draw.inputs["grasp.hold"]
    assert draw.parameters == {"grasp": {"hold": 3.0 + offset}}
