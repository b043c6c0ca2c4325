"""The digest of a run: equal for equal input and seed, over each transport."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Collection
from typing import Any

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.saving.rebuild import Restorable
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats

PERIOD_NS = 10_000_000
"""Period of the states in the digest [ns]; each is taken at the first step at or after a multiple of it."""


class Digest(Restorable):
    """A chain of SHA-256 over the canonical stream of a run: each link hashes the previous link and a state.

    The stream starts with the names of all attributes in the order of the layout. Each link contains the events and
    handovers since the previous state, as canonical JSON, then the state: its time in ns and the float64 values of
    all attributes in that order. A state is taken every `PERIOD_NS`, after each step with events or handovers, and
    at the end. Ids, processes and wall times are not part of it, nor are observers that watch the run for its user.

    Args:
        layout: all attributes.
        slots: number of slots, from the first, that are part of it; None: all.
        watchers: names of models that only watch.
    """

    saved_fields = ("_link", "_since", "_next_ns", "_last")

    def __init__(
        self,
        layout: Layout,
        slots: int | None = None,
        watchers: Collection[str] = (),
    ) -> None:
        self._link = b""
        self._since: list[bytes] = []
        self._next_ns = 0
        self._last: tuple[int, Floats] | None = None
        self._watchers = frozenset(watchers)
        hashed_slots = layout.slots[:slots]
        self._size = sum(slot.attribute.size for slot in hashed_slots)
        self._excluded = {(s.entity, s.attribute.name) for s in layout.slots[len(hashed_slots) :]}
        names = [[s.entity, s.attribute.name, s.attribute.size] for s in hashed_slots]
        self._add_json("layout", names)

    def values(self, time_ns: int, values: Floats) -> None:
        """Add the values of all attributes after a step; they end a link if a state is due."""
        if time_ns < self._next_ns and not self._since:
            self._last = time_ns, values[: self._size].copy()
            return
        self._next_ns = self.next_ns(time_ns)
        self._link = self._next_link((time_ns, values[: self._size]))
        self._since, self._last = [], None

    @staticmethod
    def next_ns(now_ns: int) -> int:
        """Time of the next state after that of `now_ns` [ns]."""
        return (now_ns // PERIOD_NS + 1) * PERIOD_NS

    def event(self, event: Event) -> None:
        """Add an event."""
        if event.source in self._watchers:
            return
        self._add_json(
            "event",
            [event.time_ns, event.name, event.kind.value, event.source, dict(event.arguments)],
        )

    def handover(self, handover: Handover) -> None:
        """Add a handover with its value."""
        if (handover.entity, handover.attribute) in self._excluded:
            return
        self._add_json(
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
        """The digest so far, including the last step."""
        if self._last is None and not self._since:
            return self._link.hex()
        return self._next_link(self._last).hex()

    def _next_link(self, state: tuple[int, Floats] | None) -> bytes:
        """The next link: the hash of the previous one, of all additions since, and of a state if there is one."""
        link = hashlib.sha256(self._link)
        for part in self._since:
            link.update(part)
        if state is not None:
            time_ns, values = state
            link.update(struct.pack("<q", time_ns))
            link.update(values.data)
        return link.digest()

    def _add_json(self, kind: str, content: Any) -> None:
        text = json.dumps([kind, content], sort_keys=True, separators=(",", ":"))
        self._since.append(text.encode())
