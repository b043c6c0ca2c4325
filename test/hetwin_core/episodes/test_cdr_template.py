"""Messages whose numbers are filled in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hetwin_core.episodes.messages import (
    Blanks,
    CdrTemplate,
    message,
    nanoseconds,
    pose_message,
    typestore,
)

STATE = "hetwin/msg/SceneState"


def state(blanks: Blanks) -> Any:
    return message(
        STATE,
        stamp=blanks.stamp,
        step=blanks.number(np.uint64),
        values=blanks.numbers(300),
        owners=blanks.numbers(5, np.int32),
        parents=blanks.numbers(5, np.int32),
        proximity=blanks.numbers(0),
    )


@pytest.mark.parametrize("time_ns", [0, 12_345_678_901, -1])
def test_numbers_of_every_type_are_where_the_library_reads_them(time_ns: int) -> None:
    values, owners, parents = np.arange(300.0) / 7, np.arange(5), -np.arange(5)
    template = CdrTemplate(STATE, state)
    data = template.fill(time_ns, 2**40, values, owners, parents, ())
    read: Any = typestore().deserialize_cdr(bytes(data), STATE)
    assert nanoseconds(read.stamp) == time_ns
    assert (read.step, read.values.tolist()) == (2**40, values.tolist())
    assert (read.owners.tolist(), read.parents.tolist()) == (owners.tolist(), parents.tolist())
    assert template.is_filled_with(2**40, values, owners, parents, ())
    assert not template.is_filled_with(2**40, values, owners, parents + 1, ())


def test_numbers_keep_their_order_whatever_that_of_the_fields_is() -> None:
    def make(blanks: Blanks) -> Any:
        return pose_message(blanks.numbers(7))  # the message has x y z w, the scene w x y z

    template = CdrTemplate("geometry_msgs/msg/Pose", make)
    data = bytes(template.fill(0, np.arange(7.0)))
    read: Any = typestore().deserialize_cdr(data, "geometry_msgs/msg/Pose")
    assert (read.position.z, read.orientation.w, read.orientation.z) == (2.0, 3.0, 6.0)


def test_a_blank_that_is_not_in_the_message_once_is_refused() -> None:
    def twice(blanks: Blanks) -> Any:
        number = blanks.number()
        return message("geometry_msgs/msg/Point", x=number, y=number, z=0.0)

    def never(blanks: Blanks) -> Any:
        blanks.numbers(1)
        return message("geometry_msgs/msg/Point", x=0.0, y=0.0, z=0.0)

    for make in (twice, never):
        with pytest.raises(ValueError, match="not in its message exactly once"):
            CdrTemplate("geometry_msgs/msg/Point", make)


def test_numbers_for_other_blanks_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        CdrTemplate(STATE, state).fill(0, 1)
