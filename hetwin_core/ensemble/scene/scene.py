"""The conductor's scene: all values in one flat array, their owners and their frames."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

import numpy as np

from hetwin_core.ensemble.saving.plain import Plain, StateError
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.poses import compose, extrapolate
from hetwin_core.ensemble.scene.snapshot import TABLES, Snapshot, Table
from hetwin_core.ensemble.scene.values import EXTERNAL_WRENCH, POSE, WORLD, Floats, Ints, Value


class ResponsibilityTable:
    """Assignment of each attribute to the model that computes it.

    One number per slot, so that each attribute has exactly one owner.

    Args:
        layout: the scene's layout.
        models: names of the models, by index.
        owners: (slots,) index of each slot's owner at the start.

    Raises:
        ValueError: if a slot has no owner among the models.
    """

    def __init__(self, layout: Layout, models: tuple[str, ...], owners: Ints) -> None:
        if owners.shape != (len(layout.slots),):
            raise ValueError(f"{owners.shape[0]} owners for {len(layout.slots)} attributes")
        if len(owners) and (owners.min() < 0 or owners.max() >= len(models)):
            raise ValueError("an attribute has no owner among the models")
        self.layout = layout
        self.models = models
        self._owners = owners.astype(np.int32)
        self.owners = self._owners.view()
        self.owners.flags.writeable = False

    def owner(self, slot: int) -> int:
        """Index of the slot's owner."""
        return int(self._owners[slot])

    def move(self, slot: int, to: int) -> None:
        """Assign a slot to another model."""
        if not 0 <= to < len(self.models):
            raise ValueError(f"there is no model {to}")
        self._owners[slot] = to


_Array = TypeVar("_Array", Floats, Ints)


class Scene:
    """Values of all attributes at the current time.

    Poses from a model other than the main one are stored as returned, in `foreign`, and resolved into the world
    frame at every barrier: with the parent's pose, or extrapolated with their twist.

    Args:
        layout: entities and slots.
        table: the owner of each slot.
        main: index of the main model.
        main_slots: slots that the main model contributed; its outputs contain all of them, whichever model owns
            them now.

    Attributes:
        settled: whether `resolve` has nothing to do at the current time.
    """

    def __init__(
        self,
        layout: Layout,
        table: ResponsibilityTable,
        main: int,
        main_slots: Collection[int] = (),
    ) -> None:
        self.layout = layout
        self.table = table
        self.time_ns = 0
        self._main = main
        self._values = np.zeros(layout.size, np.float64)
        self._parents = np.full(len(layout.slots), -1, np.int32)
        self._tables: Mapping[str, Table] = {}
        self._view: Snapshot | None = None
        self.settled = True
        self._resolve_order: list[int] | None = None
        self._values_view = _read_only(self._values)
        self._parents_view = _read_only(self._parents)
        self.of_main = frozenset(main_slots)
        self._known_to_main = self.of_main | _wrench_slots(layout)
        self._stored_if_foreign = self._known_to_main | {
            i for i, slot in enumerate(layout.slots) if slot.attribute.name == POSE.name
        }
        self.foreign: dict[int, Value] = {}
        self._foreign_for_main: dict[tuple[str, str], Value] | None = None

    def put(self, slot: int, value: Value) -> None:
        """Set an attribute; a pose in another frame than the world is resolved by `resolve`."""
        slot_info = self.layout.slots[slot]
        if value.parent == WORLD:
            self._values[slot_info.offset : slot_info.offset + slot_info.attribute.size] = (
                value.data
            )
            self._parents[slot] = -1
        else:
            self._parents[slot] = self.layout.entity_id(value.parent)
        former = self.foreign.pop(slot, None)
        self._foreign_for_main = None
        if slot in self._stored_if_foreign and self.table.owners[slot] != self._main:
            self.foreign[slot] = Value(value.data.copy(), value.time_ns, value.parent)
            self.settled = False
            if former is not None and former.parent == value.parent:
                return
            self._resolve_order = None
        elif former is not None:
            self._resolve_order = None

    def put_block(self, span: slice | Ints, block: Floats) -> None:
        """Write the main model's output; attributes of other owners are restored by `resolve`."""
        self._values[span] = block
        self.settled = not self.foreign

    def put_tables(self, tables: Mapping[str, Table]) -> None:
        """Replace the tables of these names; they are computed on first access."""
        self._tables = {**self._tables, **tables}
        self._view = None

    def resolve(self, time_ns: int) -> None:
        """Advance to `time_ns`: update all attributes that the main model does not own to that time."""
        if time_ns != self.time_ns:
            self.time_ns = time_ns
            self._view = None
        elif self.settled:
            return
        self.settled = True
        if self._resolve_order is None:
            self._resolve_order = list(self._in_frame_order())
        for slot in self._resolve_order:
            slot_info = self.layout.slots[slot]
            self._values[slot_info.offset : slot_info.offset + slot_info.attribute.size] = (
                self._resolved_data(self.foreign[slot], slot_info.attribute.name == POSE.name)
            )

    def save(self) -> Plain:
        """Return values, frames, owners and tables; the tables are computed now."""
        return record(
            {
                "time_ns": self.time_ns,
                "values": self._values,
                "parents": self._parents,
                "owners": self.table.owners,
                "foreign": self.foreign,
                "tables": {n: (table.time_ns, table) for n, table in self._tables.items()},
            },
            name="scene",
        )

    def restore(self, saved: Plain) -> None:
        """Restore the state of a scene with the same layout.

        Raises:
            StateError: if it had another layout.
        """
        content = rebuild(saved, name="scene")
        values, parents, owners = (content[key] for key in ("values", "parents", "owners"))
        if values.shape != self._values.shape or owners.shape != self.table.owners.shape:
            raise StateError(
                f"a scene of {values.size} numbers was saved; this one has {self._values.size}"
            )
        self.time_ns = content["time_ns"]
        self._values[:], self._parents[:] = values, parents
        for slot, owner in enumerate(owners.tolist()):
            self.table.move(slot, owner)
        self.foreign = content["foreign"]
        self._tables = {
            name: Table(rows, time_ns=time_ns)
            for name, (time_ns, rows) in content["tables"].items()
        }
        self._view = self._resolve_order = self._foreign_for_main = None
        self.settled = True

    @property
    def foreign_for_main(self) -> Mapping[tuple[str, str], Value]:
        """(entity, attribute) -> value of attributes of other owners that the main model needs."""
        if self._foreign_for_main is None:
            slots = self.layout.slots
            self._foreign_for_main = {
                (slots[slot].entity, slots[slot].attribute.name): value
                for slot, value in self.foreign.items()
                if slot in self._known_to_main
            }
        return self._foreign_for_main

    def frames_from(self, entity: str) -> list[str]:
        """The entity, its parent frame, the parent's parent frame, and so on; ends before the world."""
        frames = [entity]
        while (slot := self._relative_slot(frames[-1])) is not None:
            frames.append(self.foreign[slot].parent)
            if frames[-1] in frames[:-1]:
                break
        return frames

    def _relative_slot(self, entity: str) -> int | None:
        """The slot of the entity's pose if that is given in another entity's frame; else None."""
        slot = self.layout.find(entity, POSE.name)
        value = None if slot is None else self.foreign.get(slot)
        return slot if value is not None and value.parent != WORLD else None

    def _in_frame_order(self) -> Iterable[int]:
        """Slots of `foreign`, each frame before the entities in that frame."""
        parents = {value.parent for value in self.foreign.values() if value.parent != WORLD}
        if all(self._relative_slot(parent) is None for parent in parents):
            return self.foreign
        names = {slot: self.layout.slots[slot].entity for slot in self.foreign}
        return sorted(self.foreign, key=lambda slot: len(self.frames_from(names[slot])))

    def _resolved_data(self, value: Value, is_pose: bool) -> Floats:
        if not is_pose:
            return value.data
        if value.parent == WORLD:
            return extrapolate(value.data, (self.time_ns - value.time_ns) / 1e9)
        return compose(self._values[self.layout.range_of(value.parent, POSE.name)], value.data)

    def value(self, slot: int) -> Value:
        """An attribute's current value; poses in the world frame."""
        slot_info = self.layout.slots[slot]
        data = self._values[slot_info.offset : slot_info.offset + slot_info.attribute.size].copy()
        return Value(data, self.time_ns)

    def snapshot(self) -> Snapshot:
        """The scene as models see it: a view that is valid until the next barrier."""
        if self._view is None:
            self._view = Snapshot(
                self.layout,
                self.table.models,
                self.time_ns,
                self._values_view,
                self.table.owners,
                self._parents_view,
                self._tables,
            )
        return self._view

    def kept_snapshot(self, tables: Collection[str] = tuple(TABLES)) -> Snapshot:
        """A copy of the scene, to be read while the next step is in progress.

        Args:
            tables: names of the tables to copy, which are computed now.
        """
        return Snapshot(
            self.layout,
            self.table.models,
            self.time_ns,
            self._values.copy(),
            self.table.owners.copy(),
            self._parents.copy(),
            {name: table.copied() for name, table in self._tables.items() if name in tables},
        )


def _wrench_slots(layout: Layout) -> frozenset[int]:
    """Slots of wrenches on bodies of the main model, which it receives like attributes of other owners."""
    name = EXTERNAL_WRENCH.name
    return frozenset(i for i, slot in enumerate(layout.slots) if slot.attribute.name == name)


def _read_only(array: _Array) -> _Array:
    view = array.view()
    view.flags.writeable = False
    return view
