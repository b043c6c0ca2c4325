"""What the axes of the recording do to joint states."""

from __future__ import annotations

import numpy as np
import pytest
from toy_episode import MS, START_NS, facts, states

from hetwin_bauer2022.mismatch.axis import RecordingAxis
from hetwin_bauer2022.mismatch.registry import axes
from hetwin_core.ensemble.errors import BadInput

AXES = {name: axis for name, axis in axes().items() if isinstance(axis, RecordingAxis)}
ARM, HAND = states("waist", "shoulder", "wrist"), states("finger_1", "finger_2", late_ns=3 * MS)


@pytest.mark.parametrize("name", AXES)
def test_the_level_none_changes_nothing_and_the_given_arrays_stay(name: str) -> None:
    axis = AXES[name]
    before = [one.positions.tobytes() + one.efforts.tobytes() for one in (ARM, HAND)]
    for level in (axis.none, axis.levels[0], axis.levels[-1]):
        found = axis.change([ARM, HAND], level, facts())
        assert [one.positions.tobytes() + one.efforts.tobytes() for one in (ARM, HAND)] == before
    same = axis.change([ARM, HAND], axis.none, facts())
    for one, other in zip(same, (ARM, HAND), strict=True):
        for field in ("stamps", "received", "order", "positions", "velocities", "efforts"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    assert found


@pytest.mark.parametrize("name", ["finger_noise", "arm_offset"])
def test_a_level_scales_the_same_draw(name: str) -> None:
    def offsets(level: float, key: tuple[int, ...] = (3, 0)) -> np.ndarray:  # type: ignore[type-arg]
        found = AXES[name].change([ARM, HAND], level, facts(key=key))
        return np.concatenate(
            [
                (one.positions - was.positions)[0]
                for one, was in zip(found, (ARM, HAND), strict=True)
            ]
        )

    small, large = offsets(0.01), offsets(0.02)
    assert np.count_nonzero(small) == 2
    assert large == pytest.approx(2 * small)
    assert not np.allclose(small, offsets(0.01, key=(3, 1)))


def test_an_offset_of_the_fingers_is_towards_open() -> None:
    _, hand = AXES["finger_offset"].change([ARM, HAND], 0.02, facts())
    assert (hand.positions - HAND.positions)[7] == pytest.approx([-0.02, 0.02])


def test_the_arm_is_what_carries_the_hand_alone() -> None:
    assert facts().arm_joints == ("wrist", "shoulder")


@pytest.mark.parametrize(
    ("rate", "kept"), [(50.0, [0, 2, 4, 6]), (15.0, [0, 6, 13, 20, 26]), (30.0, [0, 3, 6, 10])]
)
def test_of_a_rate_the_message_at_or_before_each_due_time_is_kept(
    rate: float, kept: list[int]
) -> None:
    found, _ = AXES["rate"].change([HAND, ARM], rate, facts())
    assert found.positions[: len(kept), 0].tolist() == kept
    assert found.received[1] - found.stamps[1] == 3 * MS


def test_a_rate_above_the_recorded_one_is_refused() -> None:
    with pytest.raises(BadInput, match=r"lower rate.*rate=150.*at most the recorded 100 Hz"):
        AXES["rate"].change([HAND], 150.0, facts())


def test_there_is_one_gap_in_every_two_seconds() -> None:
    found = AXES["gaps"].change([ARM, HAND], 0.3, facts())
    for one in found:
        waits = np.diff(one.stamps) / 1e9
        (gaps,) = np.nonzero(waits > 0.011)
        assert waits[gaps] == pytest.approx(0.31)
        assert ((one.stamps[gaps] - START_NS) // (2000 * MS)).tolist() == [0, 1]
        assert one.stamps[-1] == ARM.stamps[-1]
    assert found[0].stamps.tolist() == found[1].stamps.tolist()


def test_a_late_hand_is_stamped_and_received_later() -> None:
    arm, hand = AXES["hand_latency"].change([ARM, HAND], 0.05, facts())
    assert arm is ARM
    assert (hand.stamps - HAND.stamps).tolist() == [50 * MS] * len(HAND.stamps)
    assert (hand.received - HAND.received).tolist() == [50 * MS] * len(HAND.stamps)


def test_a_late_hand_leaves_the_arm_in_the_same_messages_in_time() -> None:
    arm, hand = AXES["hand_latency"].change([states("wrist", "finger_1")], 0.05, facts())
    assert (arm.names, hand.names) == (("wrist",), ("finger_1",))
    assert hand.stamps[0] - arm.stamps[0] == 50 * MS
    assert hand.positions[5] == pytest.approx([5.1])


def test_all_efforts_missing_is_as_if_there_were_none() -> None:
    arm, hand = AXES["efforts_missing"].change([ARM, HAND], 1.0, facts())
    assert arm.efforts.shape == ARM.efforts.shape
    assert hand.efforts.shape == (501, 0)


def test_some_efforts_missing_are_not_numbers() -> None:
    _, hand = AXES["efforts_missing"].change([ARM, HAND], 0.5, facts())
    assert np.isnan(hand.efforts).all(axis=0).sum() == 1
    assert np.isfinite(hand.efforts).all(axis=0).sum() == 1


def test_missing_efforts_of_fingers_beside_the_arm_are_not_numbers() -> None:
    (both,) = AXES["efforts_missing"].change([states("wrist", "finger_1")], 1.0, facts())
    assert np.isnan(both.efforts[:, 1]).all()
    assert np.isfinite(both.efforts[:, 0]).all()


@pytest.mark.parametrize(
    ("name", "level", "expected"),
    [("effort_scale", 0.3, [0.3, 0.3]), ("effort_offset", 0.1, [1.1, 0.9])],
)
def test_efforts_of_the_fingers_are_scaled_and_shifted(
    name: str, level: float, expected: list[float]
) -> None:
    arm, hand = AXES[name].change([ARM, HAND], level, facts())
    assert hand.efforts[4] == pytest.approx(expected)
    assert arm.efforts[4].tolist() == [1.0, 1.0, 1.0]
    (without,) = AXES[name].change([states("finger_1", efforts=False)], level, facts())
    assert without.efforts.shape == (501, 0)


@pytest.mark.parametrize(
    ("level", "efforts", "kept"),
    [
        (0.0, False, []),
        (1.0, True, []),
        (2.0, True, ["commands"]),
        (3.0, True, ["commands", "wrench"]),
    ],
)
def test_a_level_of_signals_is_what_a_recording_has(
    level: float, efforts: bool, kept: list[str]
) -> None:
    axis = AXES["signals"]
    found = axis.change([ARM, HAND], level, facts())
    assert [bool(one.efforts.shape[1]) for one in found] == [efforts, efforts]
    assert all(one.positions.shape[1] for one in found)
    types = {
        "commands": "control_msgs/msg/JointTrajectoryControllerState",
        "wrench": "geometry_msgs/msg/WrenchStamped",
    }
    assert [name for name, one in types.items() if axis.keeps(one, level)] == kept
    assert axis.keeps("hetwin/msg/ActionAnnotation", level)


def test_there_is_no_level_between_two_signals() -> None:
    with pytest.raises(BadInput, match=r"signals cannot have this level.*0, 1, 2, 3"):
        AXES["signals"].check(1.5)
