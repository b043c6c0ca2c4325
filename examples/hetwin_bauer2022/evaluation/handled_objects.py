"""The handled objects in the scenarios of the evaluation."""

from __future__ import annotations

from dataclasses import dataclass

from hetwin_bauer2022.insertions.draw import TIP_IN_PALM
from hetwin_bauer2022.two_hands.joints import GRASP_OFFSET
from hetwin_suite.runs import BadInput, one_of


@dataclass(frozen=True, slots=True)
class HandledObject:
    """The handled object and related entities of a scenario; see `EpisodeFacts`."""

    thing: str
    support: tuple[str, ...] = ()
    target: str = ""
    held_part: str = ""
    held_at: tuple[float, float, float] = (0.0, 0.0, 0.0)


HANDLED = {
    "uncertain_environment": HandledObject("ball", support=("stand",)),
    "insertion": HandledObject(
        "dip",
        target="spu",
        held_part="handle",
        held_at=(0.0, 0.0, TIP_IN_PALM[2] - GRASP_OFFSET[2]),
    ),
}


def handled_in(scenario: str) -> HandledObject:
    """Return the handled object of a scenario.

    Raises:
        BadInput: if the scenario is unknown.
    """
    if scenario not in HANDLED:
        expected = one_of(scenario, HANDLED)
        raise BadInput(
            "axes of mismatch do not support this scenario", found=scenario, expected=expected
        )
    return HANDLED[scenario]
