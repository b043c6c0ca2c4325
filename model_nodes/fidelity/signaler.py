"""What all signalers of fidelity have in common (paper 1, section 3)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.model import (
    AttributeStart,
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepOutput,
)
from hetwin_core.ensemble.scene.fidelity import FIDELITY, Fidelity
from hetwin_core.ensemble.scene.layout import Entity, Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, Value


class Signaler(Model):
    """Responsible for the attribute ``fidelity`` of what it judges; tells a level only when it has changed."""

    _summary = ""

    @classmethod
    def describe(cls) -> ModelDescription:
        """What the model is."""
        return ModelDescription(kind=ModelKind.OBSERVER, summary=cls._summary, provides=(FIDELITY,))

    def _judge(
        self,
        names: Iterable[str],
        level: Fidelity,
        entities: tuple[Entity, ...] = (),
        reads: tuple[Selection, ...] = (),
    ) -> Contribution:
        """Be responsible for these from the start on, all of which have a level already; bring new entities."""
        self._judged = list(names)
        self._owned = np.ones(len(self._judged), np.bool_)
        self._told: Floats = np.full(len(self._judged), float(level))
        start = Value(np.full(1, float(level)), 0)
        return Contribution(
            entities, tuple(AttributeStart(n, FIDELITY, start) for n in self._judged), reads=reads
        )

    def _tell(self, levels: Floats, time_ns: int) -> StepOutput:
        """Those of the (n,) levels that differ from what was told before."""
        output = StepOutput(time_ns)
        changed = np.flatnonzero((levels != self._told) & self._owned)
        for i in changed.tolist():
            value = Value(levels[i : i + 1].copy(), time_ns)
            output.values[self._judged[i], FIDELITY.name] = value
        self._told[changed] = levels[changed]
        return output

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Judge this again from now on; its level is told anew at the next step."""
        if attribute != FIDELITY.name or entity not in self._judged:
            raise Refused(f"this signaler does not judge {entity}.{attribute}")
        at = self._judged.index(entity)
        self._owned[at], self._told[at] = True, np.nan

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Stop judging this; its level stays."""
        known = attribute == FIDELITY.name and entity in self._judged
        if not known or not self._owned[self._judged.index(entity)]:
            raise Refused(f"this signaler is not responsible for {entity}.{attribute}")
        self._owned[self._judged.index(entity)] = False
        return Value(scene.get(entity, attribute).copy(), scene.time_ns)
