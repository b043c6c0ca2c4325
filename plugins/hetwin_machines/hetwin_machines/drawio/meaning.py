"""Understands a drawing: circles are states, diamonds conditions, bubbles and hexagons what happens to the stack.

The rules are those of the paper's figures (Machines 2026, 14(3), 273, figures 2 to 9). A bold arc that begins at no
shape leads to the first state; its label says what signals are at the beginning. An empty bubble on an arc pops; one
with the name of a state, which is a smaller circle than the state's, pushes it. A hexagon on an arc empties the
stack; one at its tip leads to the state on top.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from hetwin_machines.drawing.decisions import opposite
from hetwin_machines.drawio.labels import Label, label_of, plain
from hetwin_machines.drawio.sheets import Kind, Shape, Sheet, Wire, style_of
from hetwin_machines.errors import NetworkError
from hetwin_machines.expressions.language import parse
from hetwin_machines.network import ALL, TOP, Network
from hetwin_machines.reading import read_network
from hetwin_suite.expressions import Binary, Node, text_of

LISTS = ("inputs", "events", "outputs")
_OF_NETWORK = (*LISTS, "advance", "max_cycles")
_LONGEST = 60
"""An arc has no more shapes on it, and a text in an error no more letters."""
_MOST_ARCS = 2000


@dataclass(frozen=True, slots=True)
class _Way:
    """What was met on the way along an arc, up to a shape."""

    guards: tuple[Node, ...] = ()
    assignments: tuple[tuple[str, str], ...] = ()
    pop: int | str = 0
    push: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()


def network_of(sheets: Sequence[Sheet]) -> Network:
    """Return the network that is drawn.

    Raises:
        NetworkError: with page, shape and its text, if it cannot be used.
    """
    data: dict[str, Any] = {"machines": {}}
    tables: dict[str, list[str]] = {}
    own: dict[str, dict[str, Any]] = {}
    for sheet in sheets:
        own[sheet.name] = _read_notes(sheet, data, tables)
    places: dict[str, str] = {}
    for sheet in sheets:
        if any(shape.kind is Kind.CIRCLE for shape in sheet.shapes):
            if sheet.name in data["machines"]:
                raise NetworkError("two pages have this name", f"page {sheet.name}")
            machine = _Machine(sheet, tables)
            data["machines"][sheet.name] = {**machine.read(), **own[sheet.name]}
            places |= machine.places
    if not data["machines"]:
        raise NetworkError("no page has a circle, which a state is", sheets[0].name)
    try:
        return read_network(data)
    except NetworkError as error:
        place = _placed(error.where, places)
        raise NetworkError(error.problem, place, error.found, error.expected) from None


def _placed(where: str, places: Mapping[str, str]) -> str:
    """The shape that is nearest to a place in the data."""
    parts = where.split(".")
    for end in range(len(parts), 0, -1):
        if found := places.get(".".join(parts[:end])):
            return found
    return where


def _read_notes(sheet: Sheet, data: dict[str, Any], tables: dict[str, list[str]]) -> dict[str, Any]:
    """Take in what notes say of the network; return what they say of the page's machine."""
    own: dict[str, Any] = {}
    for shape in sheet.shapes:
        if shape.kind is not Kind.NOTE or shape.on:
            continue
        for line in _text(shape).split("\n"):
            word, _, said = (part.strip() for part in line.partition(":"))
            if word in LISTS:
                data[word] = [*data.get(word, []), *filter(None, said.replace(",", " ").split())]
            elif word in _OF_NETWORK:
                value = int(said) if said.isdecimal() else said
                if data.setdefault(word, value) != value:
                    raise NetworkError(f"two notes give {word}", _place(sheet, shape), said)
            elif word in ("on_inactive", "in"):
                own[word] = said
            elif word == "gives_up":
                own[word] = said.replace(",", " ").split()
            elif word.startswith("table "):
                entries = [entry.strip() for entry in said.split(",")]
                tables[word.removeprefix("table ").strip()] = entries
    return own


def _text(part: Shape | Wire) -> str:
    return plain(part.label, style_of(part.style))


def _place(sheet: Sheet, part: Shape | Wire, text: str | None = None) -> str:
    said = " ".join((_text(part) if text is None else text).split())
    kind = part.kind.value if isinstance(part, Shape) else "arc"
    return f"page {sheet.name}, {kind} {said[:_LONGEST]!r}"


class _Machine:
    """Reads a machine from its page.

    Attributes:
        places: place in the data -> shape and text, for errors.
    """

    def __init__(self, sheet: Sheet, tables: Mapping[str, Sequence[str]]) -> None:
        self._sheet, self._tables = sheet, tables
        self.places: dict[str, str] = {}
        self._shapes = {s.id: s for s in sheet.shapes if s.kind is not Kind.NOTE}
        self._texts = {wire.id: self._label_text(wire) for wire in sheet.wires}
        self._states = self._named()
        self._from: dict[str, list[Wire]] = {}
        self._starts: list[Wire] = []
        for wire in sheet.wires:
            self._see(wire)

    def _label_text(self, wire: Wire) -> str:
        beside = (_text(s) for s in self._sheet.shapes if s.on == wire.id)
        return "\n".join(filter(None, [_text(wire), *beside]))

    def _named(self) -> dict[str, str]:
        """Id -> name of the circles that are states: of several with one name the largest."""
        largest: dict[str, list[tuple[float, str]]] = {}
        for shape in self._shapes.values():
            if shape.kind is Kind.CIRCLE and (name := _text(shape)):
                size = shape.box.width * shape.box.height
                largest.setdefault(name, []).append((size, shape.id))
        found = {}
        for name, circles in largest.items():
            circles.sort(key=lambda each: -each[0])
            if len(circles) > 1 and circles[0][0] == circles[1][0]:
                place = _place(self._sheet, self._shapes[circles[0][1]])
                raise NetworkError("two circles have this name and one size", place, name)
            found[circles[0][1]] = name
        return found

    def _see(self, wire: Wire) -> None:
        for end, id_ in (("tip", wire.target), ("tail", wire.source)):
            if id_ not in self._shapes and (end == "tip" or id_ or not wire.is_bold):
                expected = "a wire that is linked with a shape, or a bold one to the first state"
                raise NetworkError(
                    f"its {end} is linked with no shape", self._at(wire), None, expected
                )
        if wire.source:
            self._from.setdefault(wire.source, []).append(wire)
        else:
            self._starts.append(wire)

    def _at(self, part: Shape | Wire) -> str:
        return _place(self._sheet, part, self._texts.get(part.id))

    def read(self) -> dict[str, Any]:
        """Return the machine as a mapping.

        Raises:
            NetworkError: with shape and text.
        """
        key = f"machines.{self._sheet.name}"
        self.places[key] = f"page {self._sheet.name}"
        init, initial = self._beginning(key)
        states: dict[str, list[dict[str, Any]]] = {}
        for id_, name in self._states.items():
            where = f"{key}.states.{name}"
            self.places[where] = self._at(self._shapes[id_])
            states[name] = []
            for wire, arc in self._arcs(id_):
                self.places[f"{where}.{len(states[name])}"] = self._at(wire)
                states[name].append(arc)
                if len(states[name]) > _MOST_ARCS:
                    raise NetworkError("more arcs leave it than can be read", self.places[where])
        return {"initial": initial, "init": init, "states": states}

    def _beginning(self, key: str) -> tuple[dict[str, Any], str]:
        if len(self._starts) != 1:
            found = f"{len(self._starts)} bold arcs begin at no shape"
            expected = "one, which leads to the first state"
            raise NetworkError(found, f"page {self._sheet.name}", None, expected)
        wire = self._starts[0]
        self.places[f"{key}.init"] = self.places[f"{key}.initial"] = self._at(wire)
        if wire.target not in self._states:
            raise NetworkError("it does not lead to a state", self._at(wire))
        label = self._label(wire)
        if label.conditions:
            raise NetworkError("the arc to the first state has a condition", self._at(wire))
        try:
            init = {name: json.loads(text) for name, text in label.assignments.items()}
        except ValueError:
            expected = "NAME = a number, or a truth"
            raise NetworkError("it is no beginning", self._at(wire), None, expected) from None
        return init, self._states[wire.target]

    def _label(self, wire: Wire, *, leaves_diamond: bool = False) -> Label:
        text, where = self._texts[wire.id], self._at(wire)
        return label_of(text, self._tables, where, leaves_diamond=leaves_diamond)

    def _arcs(self, state: str) -> Iterator[tuple[Wire, dict[str, Any]]]:
        for wire in self._from.get(state, []):
            yield from self._along(wire, _Way(), side=None)

    def _along(
        self, wire: Wire, way: _Way, side: bool | None
    ) -> Iterator[tuple[Wire, dict[str, Any]]]:
        """All arcs that go along a wire, each with the wire at its tip."""
        way = self._said(wire, way, side)
        shape = self._shapes[wire.target]
        if shape.id in self._states:
            yield wire, _arc(way, self._states[shape.id])
            return
        if shape.id in way.seen or len(way.seen) >= _LONGEST:
            raise NetworkError("an arc comes here again, and leads to no state", self._at(shape))
        way = replace(way, seen=(*way.seen, shape.id))
        further = self._from.get(shape.id, [])
        if shape.kind is Kind.HEXAGON and not further:
            yield wire, _arc(way, TOP)
        elif shape.kind is Kind.DIAMOND:
            yield from self._beyond(shape, further, way)
        elif len(further) == 1:
            yield from self._along(further[0], self._stacked(shape, way), side=None)
        else:
            expected = "one arc that leads on from a bubble or hexagon"
            raise NetworkError(f"{len(further)} arcs leave it", self._at(shape), None, expected)

    def _beyond(
        self, diamond: Shape, further: list[Wire], way: _Way
    ) -> Iterator[tuple[Wire, dict[str, Any]]]:
        if not further:
            raise NetworkError("no arc leaves it", self._at(diamond), None, "arcs to states")
        text = " ".join(_text(diamond).split())
        sides = {wire.id: self._label(wire, leaves_diamond=True).side for wire in further}
        if not text:
            for wire in further:
                yield from self._along(wire, way, side=None)
            return
        said = {side for side in sides.values() if side is not None}
        unsaid = [wire for wire in further if sides[wire.id] is None]
        if len(unsaid) > 1 or (unsaid and len(said) != 1):
            expected = "yes or no beside each arc that leaves a diamond"
            raise NetworkError(
                "it is not said where an arc goes", self._at(diamond), None, expected
            )
        node = self._parsed(label_of(text, self._tables, self._at(diamond)), diamond)
        for wire in further:
            side = sides[wire.id]
            holds = side if side is not None else not said.pop()
            guards = (*way.guards, node if holds else opposite(node))
            yield from self._along(wire, replace(way, guards=guards), side=holds)

    def _parsed(self, label: Label, part: Shape) -> Node:
        if label.assignments or len(label.conditions) != 1:
            raise NetworkError("it is no condition", self._at(part), None, "such as n > 0")
        return parse(label.conditions[0], self._at(part))

    def _said(self, wire: Wire, way: _Way, side: bool | None) -> _Way:
        """The way with what stands beside a wire."""
        label = self._label(wire, leaves_diamond=side is not None)
        guards = (*way.guards, *(parse(text, self._at(wire)) for text in label.conditions))
        for name, text in label.assignments.items():
            parse(text, self._at(wire))
            if name in dict(way.assignments):
                raise NetworkError(f"{name} is assigned twice on the way", self._at(wire))
        assignments = (*way.assignments, *label.assignments.items())
        return replace(way, guards=guards, assignments=assignments)

    def _stacked(self, shape: Shape, way: _Way) -> _Way:
        """The way with what a bubble or hexagon does to the stack."""
        name = _text(shape)
        if shape.kind is Kind.CIRCLE and name:
            return replace(way, push=(*way.push, name))
        if way.push:
            raise NetworkError("it pops what the arc has just pushed", self._at(shape))
        if shape.kind is Kind.HEXAGON or way.pop == ALL:
            return replace(way, pop=ALL)
        return replace(way, pop=int(way.pop) + 1)


def _arc(way: _Way, to: str) -> dict[str, Any]:
    guard = reduce(lambda a, b: Binary("&&", a, b), way.guards) if way.guards else None
    text = "true" if guard is None else text_of(guard)
    return {
        "if": text,
        "do": dict(way.assignments),
        "pop": way.pop,
        "push": list(way.push),
        "to": to,
    }
