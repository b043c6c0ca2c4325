"""The inputs of a network: constants and numbers of the scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from hetwin_machines.expressions.operations import Value
from hetwin_machines.machine_network.settings import NumberChoice, Source
from hetwin_suite.model import BadInput, Floats, Layout, Meaning, Reference, Selection, Snapshot

ReadInput = Callable[[Floats, Mapping[str, Value | None]], Value | None]
"""Returns an input, given all numbers of the scene and the signals of the network; None if it keeps its last value."""


class InputReader:
    """Reads the inputs of a network from the scene.

    Args:
        inputs: input of the network -> its source, as in the scenario.

    Attributes:
        constants: inputs that are constant, unless an event sets them.

    Raises:
        BadInput: if a reference is malformed.
    """

    def __init__(self, inputs: Mapping[str, Source]) -> None:
        self.constants: dict[str, Value] = {
            name: source
            for name, source in inputs.items()
            if isinstance(source, bool | int | float)
        }
        self._references = {
            name: (Reference.from_text(_text(source), f"inputs.{name}"), source)
            for name, source in inputs.items()
            if isinstance(source, str | NumberChoice)
        }
        self._reads: dict[str, ReadInput] = {}

    @property
    def selections(self) -> tuple[Selection, ...]:
        """The attributes that snapshots of the scene must contain."""
        return tuple(reference.selection for reference, _ in self._references.values())

    @property
    def indices(self) -> Iterator[tuple[str, str]]:
        """Inputs that are selected by an index, each with the signal of the network that is the index."""
        for name, (_, source) in self._references.items():
            if isinstance(source, NumberChoice) and source.index is not None:
                yield name, source.index

    def start(self, layout: Layout) -> None:
        """Locate the numbers in the scene.

        Raises:
            BadInput: if the scene does not have a number, or has several where one is needed.
        """
        for name, (reference, source) in self._references.items():
            self._reads[name] = _make_reader(reference, source, layout, f"inputs.{name}")

    def values(self, scene: Snapshot, outputs: Mapping[str, Value | None]) -> dict[str, Value]:
        """Return the inputs that have a value in the scene now."""
        inputs = {name: read(scene.values, outputs) for name, read in self._reads.items()}
        return {name: value for name, value in inputs.items() if value is not None}


def _text(source: str | NumberChoice) -> str:
    return source if isinstance(source, str) else source.of


def _make_reader(
    reference: Reference, source: str | NumberChoice, layout: Layout, where: str
) -> ReadInput:
    attribute, offsets = reference.find(layout, where)
    indices = offsets + layout.range_of(*reference.key).start
    is_truth = attribute.meaning is Meaning.TRUTH
    if isinstance(source, str):
        if len(indices) != 1:
            raise BadInput(
                "an input must be one number, not several",
                where=where,
                found=reference.text,
                expected=f"{reference.entity}.{reference.attribute}[INDEX], or take: min or max",
            )
        index = int(indices[0])
        return lambda scene, _: _value(float(scene[index]), is_truth)
    if source.take is not None:
        minimum = source.take == "min"
        return lambda scene, _: _value(_extreme(scene[indices], minimum), is_truth)
    signal = source.index or ""

    def at_index(scene: Floats, outputs: Mapping[str, Value | None]) -> Value | None:
        index = outputs.get(signal)
        if index is None or isinstance(index, bool) or index != int(index):
            return None
        if not 0 <= index < len(indices):
            return None
        return _value(float(scene[indices[int(index)]]), is_truth)

    return at_index


def _extreme(numbers: Floats, minimum: bool) -> float:
    return float(np.min(numbers) if minimum else np.max(numbers))


def _value(number: float, is_truth: bool) -> Value | None:
    """Return the number, or whether it is not zero for an attribute that is a Boolean; None if it is not finite."""
    if number - number != 0.0:
        return None
    return number != 0.0 if is_truth else number
