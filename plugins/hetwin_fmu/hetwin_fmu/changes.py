"""Events raised by changes of an FMU's variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hetwin_fmu.variables import Variable, variable_of
from hetwin_suite.model import BadInput, Event, Floats

_NOT = "not "
COMMON_EVENTS: Mapping[str, str] = {
    "ended": "the unit has ended itself, and keeps its last values: unit, time [s]",
    "message": "the unit has logged something that is wrong, or anything if verbose: level, category, text",
}
"""Events of all FMUs -> their meaning: their arguments."""


@dataclass(frozen=True, slots=True)
class Change:
    """An event, and the variable whose change raises it.

    Attributes:
        event: name of the event.
        variable: a boolean or an integer variable.
        wanted: new value of a boolean that raises the event; None for an integer, each change of which raises it.
    """

    event: str
    variable: Variable
    wanted: bool | None

    def between(self, before: float, after: float) -> bool:
        """Whether a change from `before` to `after` raises the event."""
        return before != after and (self.wanted is None or (after != 0.0) == self.wanted)


def read_changes(
    written: Mapping[str, str], variables: Mapping[str, Variable]
) -> tuple[Change, ...]:
    """Read the events of a scenario's `events`.

    Raises:
        BadInput: if a variable is unknown, or is neither a boolean nor an integer.
    """
    return tuple(_change(name, text, variables) for name, text in written.items())


def _change(event: str, text: str, variables: Mapping[str, Variable]) -> Change:
    where = f"events.{event}"
    if event in COMMON_EVENTS:
        expected = f"another name than {' and '.join(COMMON_EVENTS)}, which every unit has"
        raise BadInput(
            "this event has a meaning already", where=where, found=event, expected=expected
        )
    name = text.removeprefix(_NOT)
    variable = variable_of(variables, name, where, "output")
    is_right = variable.is_truth or (variable.is_whole and name == text)
    if variable.size != 1 or not is_right:
        raise BadInput(
            "this raises no event",
            where=where,
            found=f"{text}, of the type {variable.type}",
            expected="a truth value, `not` and a truth value, or a whole number; what a real number means is for a"
            " trigger on its attribute to say",
        )
    return Change(event, variable, name == text if variable.is_truth else None)


class ChangeWatch:
    """Raises the events of changes between consecutive steps.

    Args:
        changes: the watched changes.
        values: (n,) present values of their variables.
    """

    def __init__(self, changes: tuple[Change, ...], values: Floats) -> None:
        self._changes = changes
        self._values = values.copy()

    def update(self, values: Floats, time_ns: int) -> list[Event]:
        """Return the events of changes since the last call.

        Args:
            values: (n,) present values of the variables.
            time_ns: end of the step, the time of the events [ns].
        """
        events = []
        for change, before, after in zip(self._changes, self._values, values, strict=True):
            if change.between(before, after):
                events.append(_event(change, float(before), float(after), time_ns))
        self._values = values.copy()
        return events


def _event(change: Change, before: float, after: float, time_ns: int) -> Event:
    arguments: dict[str, str | int] = {"variable": change.variable.name}
    if change.wanted is None:
        arguments |= {"before": int(before), "value": int(after)}
    return Event(change.event, time_ns, arguments=dict(arguments))
