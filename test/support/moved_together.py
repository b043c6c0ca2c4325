"""Recordings of an arm of which several topics say the same, by clocks that differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from support.action_messages import controller, gripper
from support.recorded_bags import MS, TYPES, Recorded, header, joints

WRENCH = "geometry_msgs/msg/WrenchStamped"
NAMES = ("lift", "turn", "finger")
STATE, ACTION = "/arm_controller/state", "/gripper_cmd"
SECONDS, PERIOD_NS = 20, 10 * MS
_WIDTH = 25


def steps(seed: int, columns: int, seconds: int = SECONDS) -> Floats:
    """(n, columns) numbers that go from one to another again and again, each within a quarter of a second."""
    rng = np.random.default_rng(seed)
    count = seconds * 1_000_000_000 // PERIOD_NS
    goals = np.repeat(rng.normal(size=(seconds, columns)), count // seconds, axis=0)
    late = rng.integers(0, count // seconds - 2 * _WIDTH, columns)
    kernel = np.ones(_WIDTH) / _WIDTH
    moved = [np.convolve(goals[:, i], kernel, "same") for i in range(columns)]
    return np.array([np.roll(column, late[i]) for i, column in enumerate(moved)]).T


def states(positions: Floats, efforts: Floats | None = None) -> list[Recorded]:
    """Joint states every 10 ms."""
    none = [()] * len(positions)
    rows = zip(positions, none if efforts is None else efforts, strict=True)
    return [
        joints(k * PERIOD_NS, NAMES, place, efforts=effort)
        for k, (place, effort) in enumerate(rows)
    ]


def wrenches(numbers: Floats, shift_ns: int) -> list[Recorded]:
    """What a wrist feels (n, 6), logged when it was felt, by stamps that are later by a shift."""
    vector, wrench, stamped = (
        TYPES.types[f"geometry_msgs/msg/{name}"] for name in ("Vector3", "Wrench", "WrenchStamped")
    )
    made = []
    for k, row in enumerate(numbers.tolist()):
        felt = wrench(force=vector(*row[:3]), torque=vector(*row[3:]))
        message = stamped(header=header(k * PERIOD_NS + shift_ns, "wrist"), wrench=felt)
        made.append(Recorded("/wrench", WRENCH, k * PERIOD_NS, message))
    return made


def felt(efforts: Floats, seed: int = 0) -> Floats:
    """(n, 6) a wrench that follows from the efforts, with noise."""
    rng = np.random.default_rng(seed)
    numbers: Floats = efforts @ rng.normal(size=(efforts.shape[1], 6))
    return numbers + rng.normal(scale=0.05, size=numbers.shape)


def feedback(positions: Sequence[float], late_ns: int) -> list[Recorded]:
    """Feedback of a gripper every 50 ms, which has no stamp and is logged late."""
    return [
        gripper(k * PERIOD_NS + late_ns, ACTION, positions[k]) for k in range(0, len(positions), 5)
    ]


def controlled(positions: Floats, shift_ns: int) -> list[Recorded]:
    """States of a controller, by stamps that are later by a shift."""
    made = []
    for k, row in enumerate(positions):
        one = controller(k * PERIOD_NS, STATE, NAMES, np.zeros(len(NAMES)), positions=row)
        one.message.header = header(k * PERIOD_NS + shift_ns)
        made.append(one)
    return made
