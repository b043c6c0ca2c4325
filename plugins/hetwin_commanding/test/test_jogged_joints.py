"""Short ways of joints, as control_msgs/msg/JointJog has them."""

from __future__ import annotations

import numpy as np
import pytest
from commanded_arm import ARM

from hetwin_commanding.source.commands import JOG_STOP_S, JOG_TIMEOUT_S, CommandRefused, jog_command
from hetwin_commanding.source.controllers import Controllers

REST = np.array([0.25, 0.25])


def jogged(
    displacements: list[float], velocities: list[float], duration: float
) -> tuple[Controllers, float]:
    """Controllers that obey a jog of the elbow, and when it is over."""
    controllers = Controllers(ARM, REST, {"arm": ARM})
    command = jog_command("arm", ["elbow"], displacements, velocities, duration)
    return controllers, controllers.obey(command, 0.0)


def test_a_displacement_takes_its_duration() -> None:
    controllers, end = jogged([0.5], [], 2.0)
    assert end == pytest.approx(2.0)
    assert controllers.motion(1.0).positions[0] == pytest.approx(0.5)
    assert controllers.motion(3.0).positions.tolist() == pytest.approx([0.75, 0.25])


def test_a_displacement_with_a_velocity_is_a_profile_that_keeps_it() -> None:
    controllers, end = jogged([-0.3], [0.1], 0.0)
    speeds = [controllers.motion(t).velocities[0] for t in np.linspace(0.0, end, 50)]
    assert min(speeds) == pytest.approx(-0.1, rel=1e-2)
    assert controllers.motion(end + 1.0).positions[0] == pytest.approx(-0.05)


@pytest.mark.parametrize(("duration", "lasting"), [(0.0, JOG_TIMEOUT_S), (1.0, 1.0)])
def test_a_velocity_ends(duration: float, lasting: float) -> None:
    controllers, end = jogged([], [0.2], duration)
    assert end == pytest.approx(lasting + JOG_STOP_S)
    way = 0.2 * (lasting + JOG_STOP_S / 2.0)
    last = controllers.motion(end + 1.0)
    assert last.positions[0] == pytest.approx(0.25 + way)
    assert last.velocities.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("names", "displacements", "velocities", "duration", "words"),
    [
        ([], [], [], 1.0, "joints none; expected some"),
        (["elbow", "elbow"], [0.1, 0.1], [], 1.0, "each once"),
        (["elbow"], [0.1, 0.1], [], 1.0, "displacements: 2 numbers; expected 1"),
        (["elbow"], [], [], 1.0, "expected one of them"),
        (["elbow"], [0.1], [], 0.0, "without velocities or a duration"),
        (["elbow"], [0.1], [0.0], 0.0, "a velocity of 0"),
        (["elbow"], [], [float("nan")], 0.0, "not finite"),
        (["elbow"], [], [0.1], -1.0, "negative"),
    ],
)
def test_what_is_no_jog_is_refused(
    names: list[str],
    displacements: list[float],
    velocities: list[float],
    duration: float,
    words: str,
) -> None:
    with pytest.raises(CommandRefused, match=words):
        jog_command("arm", names, displacements, velocities, duration)


def test_joints_of_others_are_not_jogged() -> None:
    controllers = Controllers(ARM, REST, {"arm": ["elbow"]})
    command = jog_command("arm", ["wrist"], [0.1], [], 1.0)
    with pytest.raises(CommandRefused, match="arm has no joint wrist; expected"):
        controllers.obey(command, 0.0)
