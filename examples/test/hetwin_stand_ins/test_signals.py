"""What stand-ins send beside joint states."""

from __future__ import annotations

from typing import Any

import mujoco as mj
import numpy as np
import pytest

from hetwin_stand_ins.signals import Gripper, Wrist, controller_messages
from hetwin_suite.episode import known_types
from hetwin_suite.robot import Reading

ARM = """
<mujoco>
  <worldbody>
    <body name="arm" pos="0 0 1" euler="0 30 0">
      <joint name="turn" type="hinge" axis="0 1 0"/>
      <geom type="sphere" size="0.1" mass="3"/>
      <body name="palm" pos="0 0 0.3">
        <geom type="sphere" pos="0.05 0 0" size="0.02" mass="0.5"/>
      </body>
    </body>
  </worldbody>
  <equality><weld body1="arm" solref="0.002 1"/></equality>
</mujoco>
"""


def decoded(message: Any) -> Any:
    return known_types().deserialize_cdr(message.data, message.topic.type)


def felt_by_a_wrist(steps: int) -> tuple[Wrist, mj.MjData]:
    model = mj.MjModel.from_xml_string(ARM)
    data = mj.MjData(model)
    for _ in range(2000):
        mj.mj_step(model, data)
    wrist = Wrist(model, "palm", np.random.default_rng(3))
    for step in range(steps):
        wrist.sample(step, data)
        mj.mj_step(model, data)
    return wrist, data


def test_a_wrist_feels_what_hangs_on_it_along_gravity() -> None:
    wrist, data = felt_by_a_wrist(8000)
    offset = np.random.default_rng(3).normal(0.0, [2.0, 2.5, 3.0, 0.2, 0.15, 0.12])
    felt = np.array([one for _, one in wrist.samples])
    turn = data.body("palm").xmat.reshape(3, 3)
    weight = turn.T @ (0.0, 0.0, -0.5 * 9.81)
    assert felt.shape == (1000, 6)
    assert felt.mean(axis=0)[:3] - offset[:3] == pytest.approx(weight, abs=0.02)
    torque = np.cross((0.05, 0.0, 0.0), weight)
    assert felt.mean(axis=0)[3:] - offset[3:] == pytest.approx(torque, abs=0.002)
    assert felt.std(axis=0)[:3] == pytest.approx([0.05] * 3, rel=0.1)


def test_wrenches_are_stamped_in_the_frame_of_the_link_and_arrive_later() -> None:
    wrist, _ = felt_by_a_wrist(20)
    messages = list(wrist.messages(7_000_000_000))
    stamps = [decoded(one).header.stamp for one in messages]
    assert {decoded(one).header.frame_id for one in messages} == {"palm"}
    for message, stamp, (time, felt) in zip(messages, stamps, wrist.samples, strict=True):
        stamp_ns = stamp.sec * 1_000_000_000 + stamp.nanosec
        assert stamp_ns == 7_000_000_000 + round(time * 1e9)
        assert 150_000 <= message.time_ns - stamp_ns < 2_000_000
        assert decoded(message).wrench.force.x == felt[0]


def readings(shares: list[float]) -> list[Reading]:
    """Of a finger that travels from 0.1 to 0.5 rad, every 0.01 s."""
    return [
        Reading(
            0.01 * index,
            ("finger",),
            np.array([0.1 + 0.4 * share]),
            np.zeros(1),
            np.array([0.3]),
            targets=np.array([0.5]),
        )
        for index, share in enumerate(shares)
    ]


@pytest.mark.parametrize(("end", "says"), [(0.5, 2), (1.0, 3)])
def test_a_gripper_says_whether_it_stopped_on_something(end: float, says: int) -> None:
    shares = [min(end, 0.02 * index) for index in range(100)]
    gripper = Gripper("hand", ("finger",), np.array([0.1]), np.array([0.5]))
    sent = list(gripper.messages(readings(shares), [(0.0, 1.0)], 0, np.random.default_rng(0)))
    found = [int(decoded(one).gOBJ) for one in sent]
    assert (found[0], found[-1]) == (0, says)
    assert len(sent) == pytest.approx(20, abs=3)
    assert decoded(sent[-1]).gPO == round(255 * end)


def test_a_gripper_that_stands_while_it_is_told_to_open_stopped_opening() -> None:
    gripper = Gripper("hand", ("finger",), np.array([0.1]), np.array([0.5]))
    sent = gripper.messages(readings([0.6] * 50), [(0.0, 0.0)], 0, np.random.default_rng(0))
    assert int(decoded(list(sent)[-1]).gOBJ) == 1


def test_a_controller_says_where_it_wants_its_joints() -> None:
    random = np.random.default_rng(0)
    sent = list(controller_messages("arm", ["finger"], readings([0.0, 0.5]), 0, random))
    assert [one.topic.name for one in sent] == ["arm/controller_state"] * 2
    last = decoded(sent[-1])
    assert list(last.joint_names) == ["finger"]
    assert last.reference.positions == pytest.approx([0.5])
    assert last.error.positions == pytest.approx([0.2])
    assert not list(controller_messages("arm", ["other"], readings([0.0]), 0, random))
