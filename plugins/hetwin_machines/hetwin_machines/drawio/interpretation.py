"""Interprets a drawing as a network: circles are states, diamonds conditions, bubbles and hexagons stack operations.

The notation is that of the paper (Machines 2026, 14(3), 273, figures 2 to 9). A bold arc without a shape at its tail
leads to the initial state; its label gives the initial values of signals. On an arc, an empty bubble (a small circle)
pops the stack, and a bubble with the name of a state, smaller than the circle of that state, pushes it. A hexagon on
an arc empties the stack; a hexagon at the tip of an arc stands for the state on top of the stack.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from hetwin_machines.drawing.decisions import opposite
from hetwin_machines.drawio.labels import Label, label_of, plain_text
from hetwin_machines.drawio.sheets import Kind, Shape, Sheet, Wire, style_of
from hetwin_machines.errors import NetworkError
from hetwin_machines.expressions.language import parse
from hetwin_machines.network import ALL, TOP, Network
from hetwin_machines.reading import read_network
from hetwin_suite.expressions import Binary, Node, text_of

LISTS = ("inputs", "events", "outputs")
_NETWORK_KEYS = (*LISTS, "advance", "max_cycles")
_MAX_SHAPES = 60
"""Maximum number of shapes on an arc."""
_MAX_QUOTED = 60
"""Maximum number of characters that an error message quotes."""
_MAX_ARCS = 2000


@dataclass(frozen=True, slots=True)
class _Path:
    """What has been collected along an arc, up to some shape on it; `seen` has the ids of the shapes passed."""

    guards: tuple[Node, ...] = ()
    assignments: tuple[tuple[str, str], ...] = ()
    pop: int | str = 0
    push: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()


def network_of(sheets: Sequence[Sheet]) -> Network:
    """Return the network that a drawing describes.

    Raises:
        NetworkError: if the drawing cannot be used, with page, shape and the shape's text.
    """
    data: dict[str, Any] = {"machines": {}}
    tables: dict[str, list[str]] = {}
    machine_notes: dict[str, dict[str, Any]] = {}
    for sheet in sheets:
        machine_notes[sheet.name] = _read_notes(sheet, data, tables)
    descriptions: dict[str, str] = {}
    for sheet in sheets:
        if any(shape.kind is Kind.CIRCLE for shape in sheet.shapes):
            if sheet.name in data["machines"]:
                raise NetworkError("two pages have the same name", f"page {sheet.name}")
            machine = _Machine(sheet, tables)
            data["machines"][sheet.name] = {**machine.read(), **machine_notes[sheet.name]}
            descriptions |= machine.descriptions
    if not data["machines"]:
        raise NetworkError("no page has a state (a circle)", sheets[0].name)
    try:
        return read_network(data)
    except NetworkError as error:
        description = _nearest_shape(error.where, descriptions)
        raise NetworkError(error.problem, description, error.found, error.expected) from None


def _nearest_shape(where: str, descriptions: Mapping[str, str]) -> str:
    """Return the shape for the longest known prefix of a dotted key, or the key itself if there is none."""
    parts = where.split(".")
    for end in range(len(parts), 0, -1):
        if found := descriptions.get(".".join(parts[:end])):
            return found
    return where


def _read_notes(sheet: Sheet, data: dict[str, Any], tables: dict[str, list[str]]) -> dict[str, Any]:
    """Add a page's notes on the network to `data` and `tables`; return those on the page's machine."""
    machine_notes: dict[str, Any] = {}
    for shape in sheet.shapes:
        if shape.kind is not Kind.NOTE or shape.on:
            continue
        for line in _text(shape).split("\n"):
            word, _, text = (part.strip() for part in line.partition(":"))
            if word in LISTS:
                data[word] = [*data.get(word, []), *filter(None, text.replace(",", " ").split())]
            elif word in _NETWORK_KEYS:
                value = int(text) if text.isdecimal() else text
                if data.setdefault(word, value) != value:
                    raise NetworkError(
                        f"two notes set {word} to different values",
                        _description(sheet, shape),
                        text,
                    )
            elif word in ("on_inactive", "in"):
                machine_notes[word] = text
            elif word == "gives_up":
                machine_notes[word] = text.replace(",", " ").split()
            elif word.startswith("table "):
                entries = [entry.strip() for entry in text.split(",")]
                tables[word.removeprefix("table ").strip()] = entries
    return machine_notes


def _text(part: Shape | Wire) -> str:
    return plain_text(part.label, style_of(part.style))


def _description(sheet: Sheet, part: Shape | Wire, text: str | None = None) -> str:
    quoted = " ".join((_text(part) if text is None else text).split())
    kind = part.kind.value if isinstance(part, Shape) else "arc"
    return f"page {sheet.name}, {kind} {quoted[:_MAX_QUOTED]!r}"


class _Machine:
    """Reads a machine from its page.

    Attributes:
        descriptions: dotted key in the data -> shape and its text, for error messages.
    """

    def __init__(self, sheet: Sheet, tables: Mapping[str, Sequence[str]]) -> None:
        self._sheet, self._tables = sheet, tables
        self.descriptions: dict[str, str] = {}
        self._shapes = {s.id: s for s in sheet.shapes if s.kind is not Kind.NOTE}
        self._texts = {wire.id: self._label_text(wire) for wire in sheet.wires}
        self._states = self._find_states()
        self._outgoing: dict[str, list[Wire]] = {}
        self._initial_wires: list[Wire] = []
        for wire in sheet.wires:
            self._register(wire)

    def _label_text(self, wire: Wire) -> str:
        beside = (_text(s) for s in self._sheet.shapes if s.on == wire.id)
        return "\n".join(filter(None, [_text(wire), *beside]))

    def _find_states(self) -> dict[str, str]:
        """Return id -> name of the circles that are states: the largest of those with the same name."""
        largest: dict[str, list[tuple[float, str]]] = {}
        for shape in self._shapes.values():
            if shape.kind is Kind.CIRCLE and (name := _text(shape)):
                size = shape.box.width * shape.box.height
                largest.setdefault(name, []).append((size, shape.id))
        states = {}
        for name, circles in largest.items():
            circles.sort(key=lambda each: -each[0])
            if len(circles) > 1 and circles[0][0] == circles[1][0]:
                description = _description(self._sheet, self._shapes[circles[0][1]])
                raise NetworkError("two circles have the same name and size", description, name)
            states[circles[0][1]] = name
        return states

    def _register(self, wire: Wire) -> None:
        """Add a wire to those of the shape at its tail, or to the arcs that lead to the initial state."""
        for end, id_ in (("tip", wire.target), ("tail", wire.source)):
            if id_ not in self._shapes and (end == "tip" or id_ or not wire.is_bold):
                expected = "an arc between shapes, or a bold arc to the initial state"
                raise NetworkError(
                    f"its {end} is not connected to a shape", self._at(wire), None, expected
                )
        if wire.source:
            self._outgoing.setdefault(wire.source, []).append(wire)
        else:
            self._initial_wires.append(wire)

    def _at(self, part: Shape | Wire) -> str:
        return _description(self._sheet, part, self._texts.get(part.id))

    def read(self) -> dict[str, Any]:
        """Return the machine as a mapping with the keys of a YAML file.

        Raises:
            NetworkError: if the drawing is wrong, with shape and text.
        """
        key = f"machines.{self._sheet.name}"
        self.descriptions[key] = f"page {self._sheet.name}"
        init, initial = self._initial(key)
        states: dict[str, list[dict[str, Any]]] = {}
        for id_, name in self._states.items():
            where = f"{key}.states.{name}"
            self.descriptions[where] = self._at(self._shapes[id_])
            states[name] = []
            for wire, arc in self._arcs(id_):
                self.descriptions[f"{where}.{len(states[name])}"] = self._at(wire)
                states[name].append(arc)
                if len(states[name]) > _MAX_ARCS:
                    raise NetworkError("too many arcs leave it", self.descriptions[where])
        return {"initial": initial, "init": init, "states": states}

    def _initial(self, key: str) -> tuple[dict[str, Any], str]:
        """Return the initial values of signals, and the initial state."""
        if len(self._initial_wires) != 1:
            problem = f"{len(self._initial_wires)} bold arcs have no shape at their tail"
            expected = "one, which leads to the initial state"
            raise NetworkError(problem, f"page {self._sheet.name}", None, expected)
        wire = self._initial_wires[0]
        self.descriptions[f"{key}.init"] = self.descriptions[f"{key}.initial"] = self._at(wire)
        if wire.target not in self._states:
            raise NetworkError("it does not lead to a state", self._at(wire))
        label = self._label(wire)
        if label.conditions:
            raise NetworkError("the arc to the initial state has a condition", self._at(wire))
        try:
            init = {name: json.loads(text) for name, text in label.assignments.items()}
        except ValueError:
            expected = "NAME = a number, or true or false"
            raise NetworkError("not an initial value", self._at(wire), None, expected) from None
        return init, self._states[wire.target]

    def _label(self, wire: Wire, *, leaves_diamond: bool = False) -> Label:
        text, where = self._texts[wire.id], self._at(wire)
        return label_of(text, self._tables, where, leaves_diamond=leaves_diamond)

    def _arcs(self, state: str) -> Iterator[tuple[Wire, dict[str, Any]]]:
        for wire in self._outgoing.get(state, []):
            yield from self._follow(wire, _Path(), answer=None)

    def _follow(
        self, wire: Wire, path: _Path, answer: bool | None
    ) -> Iterator[tuple[Wire, dict[str, Any]]]:
        """Yield all arcs along a wire, each with the wire at its tip."""
        path = self._with_label(wire, path, answer)
        shape = self._shapes[wire.target]
        if shape.id in self._states:
            yield wire, _arc(path, self._states[shape.id])
            return
        if shape.id in path.seen or len(path.seen) >= _MAX_SHAPES:
            raise NetworkError("an arc loops without reaching a state", self._at(shape))
        path = replace(path, seen=(*path.seen, shape.id))
        wires = self._outgoing.get(shape.id, [])
        if shape.kind is Kind.HEXAGON and not wires:
            yield wire, _arc(path, TOP)
        elif shape.kind is Kind.DIAMOND:
            yield from self._branch(shape, wires, path)
        elif len(wires) == 1:
            yield from self._follow(wires[0], self._with_stack(shape, path), answer=None)
        else:
            expected = "one arc that leaves a bubble or hexagon"
            raise NetworkError(f"{len(wires)} arcs leave it", self._at(shape), None, expected)

    def _branch(
        self, diamond: Shape, wires: list[Wire], path: _Path
    ) -> Iterator[tuple[Wire, dict[str, Any]]]:
        if not wires:
            raise NetworkError("no arc leaves it", self._at(diamond), None, "arcs to states")
        text = " ".join(_text(diamond).split())
        answers = {wire.id: self._label(wire, leaves_diamond=True).answer for wire in wires}
        if not text:
            for wire in wires:
                yield from self._follow(wire, path, answer=None)
            return
        labelled = {answer for answer in answers.values() if answer is not None}
        unlabelled = [wire for wire in wires if answers[wire.id] is None]
        if len(unlabelled) > 1 or (unlabelled and len(labelled) != 1):
            expected = "yes or no beside each arc that leaves a diamond"
            raise NetworkError("an arc has neither yes nor no", self._at(diamond), None, expected)
        node = self._parsed(label_of(text, self._tables, self._at(diamond)), diamond)
        for wire in wires:
            answer = answers[wire.id]
            holds = answer if answer is not None else not labelled.pop()
            guards = (*path.guards, node if holds else opposite(node))
            yield from self._follow(wire, replace(path, guards=guards), answer=holds)

    def _parsed(self, label: Label, part: Shape) -> Node:
        if label.assignments or len(label.conditions) != 1:
            raise NetworkError("not a condition", self._at(part), None, "such as n > 0")
        return parse(label.conditions[0], self._at(part))

    def _with_label(self, wire: Wire, path: _Path, answer: bool | None) -> _Path:
        """Return the path extended by the conditions and assignments beside a wire."""
        label = self._label(wire, leaves_diamond=answer is not None)
        guards = (*path.guards, *(parse(text, self._at(wire)) for text in label.conditions))
        for name, text in label.assignments.items():
            parse(text, self._at(wire))
            if name in dict(path.assignments):
                raise NetworkError(f"{name} is assigned twice along one arc", self._at(wire))
        assignments = (*path.assignments, *label.assignments.items())
        return replace(path, guards=guards, assignments=assignments)

    def _with_stack(self, shape: Shape, path: _Path) -> _Path:
        """Return the path extended by the stack operation of a bubble or hexagon."""
        name = _text(shape)
        if shape.kind is Kind.CIRCLE and name:
            return replace(path, push=(*path.push, name))
        if path.push:
            raise NetworkError("it pops what the arc has just pushed", self._at(shape))
        if shape.kind is Kind.HEXAGON or path.pop == ALL:
            return replace(path, pop=ALL)
        return replace(path, pop=int(path.pop) + 1)


def _arc(path: _Path, to: str) -> dict[str, Any]:
    guard = reduce(lambda a, b: Binary("&&", a, b), path.guards) if path.guards else None
    text = "true" if guard is None else text_of(guard)
    return {
        "if": text,
        "do": dict(path.assignments),
        "pop": path.pop,
        "push": list(path.push),
        "to": to,
    }
