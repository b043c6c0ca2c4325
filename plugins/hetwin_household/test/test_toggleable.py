"""A finger that stays on a button for the dwell time switches the device, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.household import box, happened, home, lived

from hetwin_core.ensemble.errors import BadInput

LAMP = [box("lamp", "0.4 0 0.1", "0.1 0.1 0.2", static=True)]
BUTTON = box("knob", "0.1 0 0.02", "0.04 0.04 0.04", static=True)
KEYS = "entities: {lamp: {attributes: {toggleable: {button: knob, dwell: DWELL}}}}\n"
OVER, DOWN = 0.88, 0.9105
PRESSES = [
    *((0.3, 0.1, OVER), (0.5, 0.1, DOWN), (0.8, 0.1, DOWN), (1.0, 0.1, OVER)),
    *((1.2, 0.1, DOWN), (1.5, 0.1, DOWN), (1.7, 0.1, OVER)),
]


@pytest.mark.parametrize(
    ("dwell", "events"),
    [("0.1", ["switched_on", "switched_off"]), ("1.0", [])],
)
def test_each_press_switches(tmp_path: Path, dwell: str, events: list[str]) -> None:
    outcome = lived(home(tmp_path, [*LAMP, BUTTON], KEYS.replace("DWELL", dwell), PRESSES))
    assert outcome.summary.error is None, outcome.summary.error
    assert happened(outcome) == [(name, "lamp") for name in events]


def test_a_command_switches(tmp_path: Path) -> None:
    keys = KEYS.replace("DWELL", "0.1") + (
        "triggers:\n"
        "  - name: far\n    on: {attribute: pose, entity: tip, index: 0, above: 0.05}\n"
        "    do: [{command: {model: switch, name: switch_on, arguments: {entity: lamp}}}]\n"
    )
    outcome = lived(home(tmp_path, [*LAMP, BUTTON], keys, [(0.5, 0.2, 0.0)]))
    assert outcome.summary.error is None, outcome.summary.error
    assert happened(outcome) == [("switched_on", "lamp")]
    assert outcome.summary.state["switched_on(lamp)"] is True


def test_a_button_that_is_not_there(tmp_path: Path) -> None:
    file = home(tmp_path, LAMP, KEYS.replace("DWELL", "0.1"))
    with pytest.raises(BadInput, match=r"entities\.lamp\.attributes\.toggleable\.button"):
        lived(file)
