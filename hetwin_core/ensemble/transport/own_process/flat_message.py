"""The messages of steps as parts of shared memory, with the fields of ``hetwin/Step`` and ``hetwin/ModelOutput``."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hetwin_core.ensemble.transport.own_process.shared_parts import Part


@dataclass(slots=True)
class FlatMessage:
    """The request of a step, or its output, see `step_codec`; or the error that the model has raised, as JSON."""

    index: Any = field(default_factory=lambda: array("q"))
    numbers: Any = field(default_factory=lambda: array("d"))
    tables: Any = field(default_factory=lambda: array("i"))
    events: str = ""
    more: str = ""
    error: str = ""

    def parts(self) -> list[Part]:
        """The fields as bytes."""
        arrays = (self.index, self.numbers, self.tables)
        texts = (self.events, self.more, self.error)
        return [
            *(memoryview(numbers).cast("B") for numbers in arrays),
            *(text.encode() for text in texts),
        ]

    @classmethod
    def of(cls, parts: Sequence[bytes]) -> FlatMessage:
        """Inverse of `parts`."""
        index, numbers, tables, *texts = parts
        return cls(memoryview(index).cast("q"), numbers, tables, *(text.decode() for text in texts))
