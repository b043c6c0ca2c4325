"""The digest of a run: equal for equal input and seed, over either transport."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Collection
from typing import Any

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.conductor.reporting.resumable_hash import Hash, ResumableHash
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats


class Digest:
    """SHA-256 over the canonical stream of a run.

    The stream begins with the names of all attributes in the order of the layout; each step adds its time in ns
    and the float64 values of all attributes in that order; events and handovers stand between the steps as
    canonical JSON. Ids, processes and wall times are not part of it, nor is what only watches the run for its user.

    Args:
        layout: all attributes.
        slots: how many of them, from the first on, are part of it.
        watchers: models that only watch.
        restorable: whether it can be saved; that costs more.
    """

    def __init__(
        self,
        layout: Layout,
        slots: int | None = None,
        watchers: Collection[str] = (),
        *,
        restorable: bool = False,
    ) -> None:
        self._hash: Hash = ResumableHash() if restorable else hashlib.sha256()
        self._watchers = frozenset(watchers)
        counted = layout.slots[:slots]
        self._size = sum(slot.attribute.size for slot in counted)
        self._watched = {(s.entity, s.attribute.name) for s in layout.slots[len(counted) :]}
        names = [[s.entity, s.attribute.name, s.attribute.size] for s in counted]
        self._json("layout", names)

    def values(self, time_ns: int, values: Floats) -> None:
        """Add the values of all attributes at one time."""
        self._hash.update(struct.pack("<q", time_ns))
        self._hash.update(values[: self._size].data)

    def event(self, event: Event) -> None:
        """Add an event."""
        if event.source in self._watchers:
            return
        self._json(
            "event",
            [event.time_ns, event.name, event.kind.value, event.source, dict(event.arguments)],
        )

    def handover(self, handover: Handover) -> None:
        """Add a handover with its value."""
        if (handover.entity, handover.attribute) in self._watched:
            return
        self._json(
            "handover",
            [
                handover.time_ns,
                handover.entity,
                handover.attribute,
                handover.from_model,
                handover.to_model,
                handover.value.parent,
                handover.value.data.tobytes().hex(),
            ],
        )

    def hexdigest(self) -> str:
        """The digest so far."""
        return self._hash.hexdigest()

    def save(self) -> Plain:
        """Return the state of the hash; None if it cannot be saved."""
        return self._hash.save() if isinstance(self._hash, ResumableHash) else None

    def restore(self, saved: Plain) -> None:
        """Continue a saved digest; None: begin here, with a digest that is of the rest of the run alone.

        Raises:
            Unsaveable: if it is no saved digest.
        """
        if saved is not None:
            self._hash = resumed = ResumableHash()
            resumed.restore(saved)

    def mark(self) -> Hash:
        """Return what `back_to` takes, in this process alone; also of a digest that cannot be saved."""
        return self._hash.copy()

    def back_to(self, mark: Hash) -> None:
        """Continue where it was marked."""
        self._hash = mark.copy()

    def _json(self, kind: str, content: Any) -> None:
        text = json.dumps([kind, content], sort_keys=True, separators=(",", ":"))
        self._hash.update(text.encode())
