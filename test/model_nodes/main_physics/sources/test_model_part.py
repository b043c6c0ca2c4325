"""A model that drives a base turns its wheels."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_core.ensemble.base_events import ALIGN_BASE, DRIVE_BASE
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scenario.source import ModelSpec
from model_nodes.main_physics.sources.model_part import ModelPart
from model_nodes.main_physics.wheels import DifferentialDrive

SECOND = 1_000_000_000
WHEELS = DifferentialDrive(("left",), ("right",), 0.1, 0.4, 0.0, np.array([1.0, -1.0]))
JOINTS = ("arm", "right", "left")


def driving(**arguments: Json) -> Event:
    return Event(DRIVE_BASE, 0, source="driver", arguments=arguments)


@pytest.fixture
def part() -> ModelPart:
    part = ModelPart(ModelSpec(model="driver", aligned_by="eyes"), WHEELS)
    assert part.bind(JOINTS, SECOND // 100, {"left": 0.5}).tolist() == [False, True, True]
    return part


def test_wheels_turn_as_the_model_drives(part: ModelPart) -> None:
    at_first = part.motion(0)
    assert at_first.positions.tolist() == [0.0, 0.0, 0.5]
    part.sense(0, {}, [driving(forward=0.2, turn=0.5)])
    motion = part.motion(2 * SECOND)
    np.testing.assert_allclose(motion.velocities, [0.0, -3.0, 1.0])
    np.testing.assert_allclose(motion.positions, [0.0, -6.0, 2.5])
    assert at_first.positions.tolist() == [0.0, 0.0, 0.5], "what was returned stays as it was"
    part.sense(2 * SECOND, {}, [driving(forward=-0.1, turn=0.0)])
    np.testing.assert_allclose(part.motion(2 * SECOND).positions, [0.0, -6.0, 2.5])
    np.testing.assert_allclose(part.motion(3 * SECOND).positions, [0.0, -5.0, 1.5])


def test_only_its_own_model_drives_and_another_one_aligns(part: ModelPart) -> None:
    other = Event(DRIVE_BASE, 0, source="other", arguments={"forward": 1.0, "turn": 0.0})
    placed = Event(ALIGN_BASE, 0, source="eyes", arguments={"x": 1.0, "y": 2.0, "yaw": 0.3})
    assert part.sense(0, {}, [other]) is None
    assert part.sense(0, {}, [placed]) == (1.0, 2.0, 0.3)
    assert not part.motion(SECOND).velocities.any()


@pytest.mark.parametrize(
    "arguments", [{}, {"forward": True, "turn": 0}, {"forward": 1e999, "turn": 0}]
)
def test_what_is_no_number_is_refused(part: ModelPart, arguments: dict[str, Json]) -> None:
    with pytest.raises(RunFailed, match=r"drive_base has .*; expected finite numbers"):
        part.sense(0, {}, [driving(**arguments)])
