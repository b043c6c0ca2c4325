"""Finds what leads back in a machine, so that all else can lead down."""

from __future__ import annotations

from collections.abc import Iterator

from hetwin_machines.network import TOP, Machine

Way = tuple[int | str, str]
"""Index of an arc, or the name of a state that one pushes; and where it leads."""


def back_ways(machine: Machine) -> set[tuple[str, int | str]]:
    """Return what leads back to where the machine came from on the way there, the first arcs first.

    Returns:
        The state that it begins at, and the arc's index, or the name of a state that is pushed there.
    """
    found: set[tuple[str, int | str]] = set()
    seen: set[str] = set()
    for root in (machine.initial, *machine.states):
        if root not in seen:
            seen.add(root)
            _walk(machine, root, seen, found)
    return found


def _walk(machine: Machine, root: str, seen: set[str], found: set[tuple[str, int | str]]) -> None:
    on_the_way = {root}
    todo = [(root, _ways(machine, root))]
    while todo:
        state, ways = todo[-1]
        way = next(ways, None)
        if way is None:
            on_the_way.discard(state)
            todo.pop()
            continue
        name, to = way
        if to in on_the_way:
            found.add((state, name))
        elif to not in seen:
            seen.add(to)
            on_the_way.add(to)
            todo.append((to, _ways(machine, to)))


def _ways(machine: Machine, state: str) -> Iterator[Way]:
    for index, arc in enumerate(machine.states[state]):
        if arc.to != TOP:
            yield index, arc.to
        yield from ((name, name) for name in arc.push)
