"""Output of a step: checks models' outputs, writes them into the scene, and publishes the state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from hetwin_core.ensemble.conductor.reporting.digest import Digest
from hetwin_core.ensemble.conductor.reporting.listener import ListenerGroup
from hetwin_core.ensemble.conductor.scheduler import LagControl
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.model import Changes, MainChanges
from hetwin_core.ensemble.saving.rebuild import Restorable
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scene.layout import EntityKind, Layout, Slot
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.snapshot import all_finite, rows_problem
from hetwin_core.ensemble.scene.values import POSE, WORLD, Floats, Meaning, Value
from hetwin_core.ensemble.transport.port import (
    foreign_field_problem,
    numbers_problem,
    output_problem,
)


class Predicates(Restorable):
    """Tracks the attributes that hold a truth value or name an entity.

    Args:
        layout: the scene's layout.
    """

    saved_fields = ("_last", "_partners")

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._entity_slots = [s for s in layout.slots if s.attribute.meaning is Meaning.ENTITY]
        self._offsets = np.array([s.offset for s in self._entity_slots], np.intp)
        self._last = b""
        hands = [layout.entity_id(e.name) for e in layout.of_kind(EntityKind.HAND)]
        self._partners: list[set[int]] = [
            set(hands) if s.attribute.name == "held" else set() for s in self._entity_slots
        ]

    def observe(self, values: Floats) -> None:
        """Record which entities the attributes name in these values of the scene."""
        if not len(self._offsets):
            return
        current = values[self._offsets]
        key = (
            current.tobytes()
        )  # compared at every step, where numpy's functions would take too long
        if key == self._last:
            return
        self._last = key
        for partners, partner in zip(self._partners, current.tolist(), strict=True):
            if partner >= 0:
                partners.add(int(partner))

    def state(self, values: Floats) -> dict[str, bool]:
        """Current value of every predicate that was ever true, of every hand's `held`, and of every truth value."""
        state: dict[str, bool] = {}
        for slot, partners in zip(self._entity_slots, self._partners, strict=True):
            current = int(values[slot.offset])
            for partner in sorted(partners):
                name = self._layout.entities[partner].name
                state[f"{slot.attribute.name}({slot.entity}, {name})"] = partner == current
        for slot in self._layout.slots:
            if slot.attribute.meaning is Meaning.TRUTH:
                state[f"{slot.attribute.name}({slot.entity})"] = bool(values[slot.offset] > 0.5)
        return state


class OutputWriter(Restorable):
    """Writes outputs into the scene.

    Args:
        scene: receives the values.
        main_slots: slots that the main model's block covers, from the first on.
        warn: called once with (model, text) for each attribute that a model returns without being responsible for
            it.

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
            RunFailed: if its time is not `time_ns`, its shape is wrong, or a value is not finite.
        """
        problem = output_problem(output, time_ns)
        if problem is not None or not isinstance(output, MainChanges):
            problem = problem or f"it returns {type(output).__name__}; expected MainChanges"
            raise RunFailed(plan.name, "step", time_ns, problem)
        block = output.block
        if block is not None:
            if block.shape != self._shape or block.dtype != np.float64 or not all_finite(block):
                self._raise_block_error(plan, block, time_ns)
            self._scene.put_block(self._span, block)
        if output.tables:
            for name, table in output.tables.items():
                table.time_ns = time_ns
                if table.known is None:  # it is not computed yet, and is checked then
                    table.check = partial(_check_table, plan, time_ns, name)
                elif rows_problem(name, table.known) is not None:
                    _check_table(plan, time_ns, name, table.known)
            self._scene.put_tables(output.tables)
        if output.values:
            self._write_values(plan, output)
        return output

    def write(self, plan: ModelPlan, output: Changes, time_ns: int | None) -> None:
        """Write a model's output; `time_ns` is None for a model that steps at its own times.

        Raises:
            RunFailed: see `write_main`; or if it has a field that only the main model may return.
        """
        if type(output) is not Changes or output.events or output.time_ns != time_ns:
            problem = output_problem(output, time_ns)
            if problem is None and isinstance(output, MainChanges):
                problem = foreign_field_problem(output)
            if problem is not None:
                raise RunFailed(plan.name, "step", time_ns or self._scene.time_ns, problem)
        if output.values:
            self._write_values(plan, output)

    def _write_values(self, plan: ModelPlan, output: Changes) -> None:
        """Write the attributes that the model is responsible for; drop and count the others."""
        owners, scene = self._scene.table.owners, self._scene
        for key, value in output.values.items():
            slot = self._slots.get(key)
            if slot is None or owners[slot] != plan.index:
                self._drop(plan, *key)
                continue
            problem = numbers_problem(value, self._layout.slots[slot].attribute)
            if problem is not None or value.parent != WORLD:
                self._check_frame(plan, slot, value, output.time_ns, problem)
            scene.put(slot, value)

    def _drop(self, plan: ModelPlan, entity: str, attribute: str) -> None:
        key = f"{plan.name}: {entity}.{attribute}"
        self.dropped[key] += 1
        if self.dropped[key] == 1:
            self._warn(
                plan.name, f"returns {entity}.{attribute}, which it is not responsible for; dropped"
            )

    def _raise_block_error(self, plan: ModelPlan, block: Floats, time_ns: int) -> None:
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
        self, plan: ModelPlan, slot: int, value: Value, time_ns: int, problem: str | None
    ) -> None:
        """Raise an error if something is wrong with a value, or if its frame is invalid."""
        slot_info = self._layout.slots[slot]
        problem = problem or self._frame_problem(slot_info, value.parent)
        if problem is not None:
            reason = f"{slot_info.entity}.{slot_info.attribute.name} {problem}"
            raise RunFailed(plan.name, "step", time_ns, reason)

    def _frame_problem(self, slot_info: Slot, parent: str) -> str | None:
        if slot_info.attribute.name != POSE.name:
            return f"is given in the frame {parent!r}; only poses have a frame"
        if not self._layout.has(parent, POSE.name):
            return f"is given in the frame {parent!r}, which the scene does not have"
        frames = [slot_info.entity, *self._scene.frames_from(parent)]
        if slot_info.entity in frames[1:]:
            chain = " in ".join(frames)
            return f"is given in a frame that depends on itself: {chain}"
        return None


def _check_table(plan: ModelPlan, time_ns: int, name: str, rows: Floats) -> None:
    problem = rows_problem(name, rows)
    if problem is not None:
        raise RunFailed(plan.name, "step", time_ns, f"the table {name} {problem}")


class StatePublisher(Restorable):
    """Passes the state after each step, once, to the digest, the predicates and the listeners.

    Args:
        scene: the values, of the last complete step whenever `publish` is called.
        digest: digest of the run.
        listeners: listeners of the run.
        lag: measures how late the state of a live robot is.

    Attributes:
        predicates: the predicates that observers have reported so far.
    """

    saved_fields = ("_published",)

    def __init__(
        self, scene: Scene, digest: Digest, listeners: ListenerGroup, lag: LagControl
    ) -> None:
        self._scene = scene
        self._digest = digest
        self._listeners = listeners
        self._published = 0
        self._next_lag_ns = 0
        self.lag = lag
        self.predicates = Predicates(scene.layout)

    def begin(self) -> None:
        """Add the state at the start to the digest; listeners get it with the start itself."""
        self._digest.values(0, self._scene.snapshot().values)

    def next_ns(self, now_ns: int) -> int:
        """Time at which the next state must be published, after that of `now_ns` [ns]."""
        return min(self._digest.next_ns(now_ns), self._listeners.next_ns(now_ns))

    def publish(self, step: int, output: MainChanges) -> None:
        """Publish the state after a step, unless it is published already.

        Args:
            step: the last complete step; 0 before the first.
            output: the main model's output of this step.
        """
        if step == self._published:
            return
        self._published = step
        scene = self._scene.snapshot()
        self.predicates.observe(scene.values)
        self._digest.values(scene.time_ns, scene.values)
        self._listeners.stepped(step, scene)
        if output.input_ns is not None and scene.time_ns >= self._next_lag_ns:
            self._next_lag_ns = self.next_ns(scene.time_ns)
            self.lag.published(step, output.input_ns, late=output.late)
