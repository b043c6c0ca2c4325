"""Action annotations of a run, paired from their beginnings and ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hetwin_core.ensemble.annotations import ANNOUNCED, ROBOT, action_arguments, phase_of
from hetwin_core.ensemble.events import Event, Json


@dataclass(frozen=True, slots=True)
class Annotation:
    """An action that the robot's program announced, from `begin_ns` to `end_ns` (equal if instant).

    Attributes:
        open_begin: its end was announced, its beginning never.
        open_end: its beginning was announced, its end never.
    """

    operation: str
    begin_ns: int
    end_ns: int
    arguments: Mapping[str, Json]
    open_begin: bool = False
    open_end: bool = False


def pair_annotations(events: Iterable[Event], start_ns: int, end_ns: int) -> list[Annotation]:
    """Pair the phases of the same operation of a robot.

    The end of one belongs to a beginning with the same arguments, else to one to whose arguments it adds some, else to
    the newest one.

    Args:
        events: events of kind action, in order; the phase is one of their arguments.
        start_ns: beginning of those that only ended.
        end_ns: end of those that only began.
    """
    done: list[Annotation] = []
    running: list[tuple[Event, dict[str, Json]]] = []
    for event in events:
        arguments = action_arguments(event)
        match phase_of(event):
            case "begin":
                running.append((event, arguments))
            case "end":
                begun = _matching(running, event.name, arguments)
                if begun is None:
                    done.append(Annotation(event.name, start_ns, event.time_ns, arguments, True))
                else:
                    running.remove(begun)
                    done.append(Annotation(event.name, begun[0].time_ns, event.time_ns, begun[1]))
            case phase if phase != ANNOUNCED:
                done.append(Annotation(event.name, event.time_ns, event.time_ns, arguments))
    for event, arguments in running:
        done.append(Annotation(event.name, event.time_ns, end_ns, arguments, open_end=True))
    return sorted(done, key=lambda annotation: annotation.begin_ns)


def _matching(
    running: list[tuple[Event, dict[str, Json]]], name: str, arguments: dict[str, Json]
) -> tuple[Event, dict[str, Json]] | None:
    candidates = [
        item
        for item in reversed(running)
        if item[0].name == name and item[1].get(ROBOT) == arguments.get(ROBOT)
    ]
    same = [item for item in candidates if item[1] == arguments]
    more = [item for item in candidates if item[1] and item[1].items() <= arguments.items()]
    return next(iter(same or more or candidates), None)
