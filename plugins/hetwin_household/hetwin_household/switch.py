"""Switches devices on and off, by a finger on a button or by a command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from hetwin_household.boolean_attribute import boolean_spec
from hetwin_household.state_model import Entities, StateModel
from hetwin_suite.model import (
    POSE,
    Amount,
    BadInput,
    Changes,
    EntityKind,
    Functional,
    Json,
    Layout,
    Parameters,
    Refused,
    Selection,
    Snapshot,
    Tick,
    hand_links,
    one_of,
    parameter,
    perhaps,
)
from hetwin_suite.shapes import SceneShapes

COMMANDS = {"switch_on": True, "switch_off": False, "toggle": None}


class Settings(Parameters):
    """The parameters of the model."""

    toggleable: Functional = parameter("the entities with this functional attribute", {})
    touch: Amount = parameter("a finger within this distance of a button presses it", 1e-3, "m")


class Switch(StateModel[Settings]):
    """Toggles a device when a link of a hand has pressed its button for the device's `dwell`.

    A button must be released before it works again. Commands: ``switch_on``, ``switch_off`` and ``toggle``, with
    ``entity``. Events: ``switched_on`` and ``switched_off``, with ``object``.
    """

    summary = "Switches devices on and off, when a finger presses their button."
    rate = 50.0
    provides = (boolean_spec("switched_on"),)
    raises: ClassVar[Mapping[str, str]] = {
        "switched_on": "a device was switched on: object",
        "switched_off": "a device was switched off: object",
    }
    known = True

    def affected(self, settings: Settings) -> Entities:
        """Return the toggleable entities; all of them start switched off."""
        self._commanded: dict[str, bool] = {}
        return settings.toggleable

    def reads(self) -> tuple[Selection, ...]:
        """Return the poses of all entities: buttons, and links that press them."""
        return (Selection("*", POSE.name),)

    def start(self, scene: Snapshot) -> None:
        """Find the buttons, and the links that can press them.

        Raises:
            BadInput: if a button is missing in the scene.
        """
        self._buttons = {name: self._button(scene, name) for name in self.entities}
        self._fingers = _fingers(scene.layout)
        self._shapes = SceneShapes(scene.layout)
        self._since: dict[str, int | None] = dict.fromkeys(self.entities)
        self._was_triggered = dict.fromkeys(self.entities, False)

    def _button(self, scene: Snapshot, name: str) -> str:
        button = str(self.entities[name]["button"])
        for candidate in (button, f"{name}::{button}"):
            if scene.layout.entity_id(candidate) >= 0:
                return candidate
        raise BadInput(
            "there is no such button",
            where=f"toggleable.{name}.button",
            found=button,
            expected="a link or object of the scene"
            + perhaps(button, [entity.name for entity in scene.layout.entities]),
        )

    def step(self, tick: Tick) -> Changes:
        """Update the pressed buttons and the states."""
        self._pressed = self._pressed_devices(tick.scene)
        return super().step(tick)

    def holds(self, name: str, tick: Tick) -> bool:
        """Whether a device is switched on."""
        on = self._commanded.pop(name, self.attribute.holds(name))
        dwell = float(self.entities[name]["dwell"])
        triggered = self._is_triggered(name, name in self._pressed, tick.time_ns, dwell)
        return on != triggered

    def _pressed_devices(self, scene: Snapshot) -> set[str]:
        """Return the devices whose button a link of a hand touches."""
        self._shapes.update(scene)
        reach = self.settings.touch
        return {
            name
            for name, button in self._buttons.items()
            if self._shapes.distance([button], self._fingers, 2.0 * reach) <= reach
        }

    def _is_triggered(self, name: str, pressed: bool, time_ns: int, dwell: float) -> bool:
        """Whether a button has been pressed for its `dwell` in this step."""
        if not pressed:
            self._since[name], self._was_triggered[name] = None, False
            return False
        since = self._since[name]
        if since is None:
            since = self._since[name] = time_ns
        if self._was_triggered[name] or time_ns - since < dwell * 1e9:
            return False
        self._was_triggered[name] = True
        return True

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Switch a device at the next step.

        Raises:
            Refused: if the command or the device is unknown.
        """
        device = str(arguments.get("entity", ""))
        if name not in COMMANDS:
            raise Refused(f"a switch knows {one_of(name, COMMANDS)}, not {name!r}")
        if device not in self.entities:
            known = one_of(device, self.entities)
            raise Refused(f"{device!r} cannot be switched: entity must be {known}")
        state = COMMANDS[name]
        self._commanded[device] = not self.attribute.holds(device) if state is None else state


def _fingers(layout: Layout) -> list[str]:
    """Return the links that can press buttons: the links of hands; for a robot without hands, all its links."""
    hands = layout.of_kind(EntityKind.HAND)
    if not hands:
        robots = {robot.name for robot in layout.of_kind(EntityKind.ROBOT)}
        return [link.name for link in layout.of_kind(EntityKind.LINK) if link.owner in robots]
    indices = sorted(frozenset[int]().union(*(hand_links(layout, hand.name) for hand in hands)))
    return [layout.entities[index].name for index in indices]
