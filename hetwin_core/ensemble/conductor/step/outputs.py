"""Writes the outputs of models into the scene: checked, and only what each is responsible for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.model import Changes, MainChanges
from hetwin_core.ensemble.saving.fields import Restorable
from hetwin_core.ensemble.scenario.scenario import ModelPlan
from hetwin_core.ensemble.scene.layout import Slot
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.tables import wrong_rows
from hetwin_core.ensemble.scene.values import POSE, WORLD, Floats, Value
from hetwin_core.ensemble.transport.value_check import (
    all_finite,
    not_its_own,
    wrong_numbers,
    wrong_output,
)


class OutputWriter(Restorable):
    """Writes outputs into the scene.

    Args:
        scene: receives the values.
        main_slots: slots that the main model's block covers, from the first on.
        warn: called once with (model, text) for each attribute that a model outputs without being responsible for it.

    Attributes:
        dropped: "model: entity.attribute" -> number of values that were not written.
    """

    saved_fields = ("dropped",)

    def __init__(
        self, scene: Scene, main_slots: Sequence[int], warn: Callable[[str, str], None]
    ) -> None:
        self._scene = scene
        self._layout = scene.layout
        self._warn = warn
        self._shape = (sum(self._layout.slots[s].attribute.size for s in main_slots),)
        self._span = slice(0, self._shape[0])
        self._slots = {(s.entity, s.attribute.name): i for i, s in enumerate(self._layout.slots)}
        self.dropped: Counter[str] = Counter()

    def write_main(self, plan: ModelPlan, output: Changes, time_ns: int) -> MainChanges:
        """Write the main model's output of its step to `time_ns`, and return it.

        Raises:
            RunFailed: if it is not for that time, has the wrong shape, or is not finite.
        """
        wrong = wrong_output(output, time_ns)
        if wrong is not None or not isinstance(output, MainChanges):
            wrong = wrong or f"it returns {type(output).__name__}; expected MainChanges"
            raise RunFailed(plan.name, "step", time_ns, wrong)
        block = output.block
        if block is not None:
            if block.shape != self._shape or block.dtype != np.float64 or not all_finite(block):
                self._refuse_block(plan, block, time_ns)
            self._scene.put_block(self._span, block)
        if output.tables:
            for name, table in output.tables.items():
                table.time_ns = time_ns
                if table.known is None:  # it is checked when it is computed
                    table.check = partial(_check_table, plan, time_ns, name)
                else:
                    _check_table(plan, time_ns, name, table.known)
            self._scene.put_tables(output.tables)
        if output.values:
            self._write_values(plan, output)
        return output

    def write(self, plan: ModelPlan, output: Changes, time_ns: int | None) -> None:
        """Write a model's output; `time_ns` is None for a model that steps at times of its own.

        Raises:
            RunFailed: see `write_main`; or if it holds what only the main model may return.
        """
        wrong = wrong_output(output, time_ns)
        if wrong is None and isinstance(output, MainChanges):
            wrong = not_its_own(output)
        if wrong is not None:
            raise RunFailed(plan.name, "step", time_ns or self._scene.time_ns, wrong)
        if output.values:
            self._write_values(plan, output)

    def _write_values(self, plan: ModelPlan, output: Changes) -> None:
        """Write what the model is responsible for, and drop and count the rest."""
        owners, scene = self._scene.table.owners, self._scene
        for key, value in output.values.items():
            slot = self._slots.get(key)
            if slot is None or owners[slot] != plan.index:
                self._drop(plan, *key)
                continue
            wrong = wrong_numbers(value, self._layout.slots[slot].attribute)
            if wrong is not None or value.parent != WORLD:
                self._check_frame(plan, slot, value, output.time_ns, wrong)
            scene.put(slot, value)

    def _drop(self, plan: ModelPlan, entity: str, attribute: str) -> None:
        key = f"{plan.name}: {entity}.{attribute}"
        self.dropped[key] += 1
        if self.dropped[key] == 1:
            self._warn(
                plan.name, f"returns {entity}.{attribute}, which it is not responsible for; dropped"
            )

    def _refuse_block(self, plan: ModelPlan, block: Floats, time_ns: int) -> None:
        if block.shape != self._shape or block.dtype != np.float64:
            reason = (
                f"the block is {block.dtype} of shape {block.shape};"
                f" expected float64 of shape {self._shape}"
            )
            raise RunFailed(plan.name, "step", time_ns, reason)
        for slot in self._layout.slots:
            if slot.offset >= self._shape[0]:
                break
            numbers = block[slot.offset : slot.offset + slot.attribute.size]
            if not np.isfinite(numbers).all():
                reason = f"{slot.entity}.{slot.attribute.name} is not finite: {numbers.tolist()}"
                raise RunFailed(plan.name, "step", time_ns, reason)

    def _check_frame(
        self, plan: ModelPlan, slot: int, value: Value, time_ns: int, wrong: str | None
    ) -> None:
        """Refuse a value of which something is wrong already, or its frame."""
        place = self._layout.slots[slot]
        wrong = wrong or self._wrong_frame(place, value.parent)
        if wrong is not None:
            reason = f"{place.entity}.{place.attribute.name} {wrong}"
            raise RunFailed(plan.name, "step", time_ns, reason)

    def _wrong_frame(self, place: Slot, parent: str) -> str | None:
        if place.attribute.name != POSE.name:
            return f"is given in the frame {parent!r}; only poses have a frame"
        if not self._layout.has(parent, POSE.name):
            return f"is given in the frame {parent!r}, which the scene does not have"
        frames = [place.entity, *self._scene.frames_from(parent)]
        if place.entity in frames[1:]:
            chain = " in ".join(frames)
            return f"is given in a frame that hangs on itself: {chain}"
        return None


def _check_table(plan: ModelPlan, time_ns: int, name: str, rows: Floats) -> None:
    wrong = wrong_rows(name, rows)
    if wrong is not None:
        raise RunFailed(plan.name, "step", time_ns, f"the table {name} {wrong}")
