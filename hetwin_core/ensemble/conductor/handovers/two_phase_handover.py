"""Moving a responsibility in two phases: the old owner releases, the new one takes, then the table changes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.errors import Refused, RunFailed
from hetwin_core.ensemble.scenario.schema import OnFailure
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.values import WORLD, Floats, Value
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.transport.value_check import wrong_numbers


class FellBackToMain(Refused):
    """Neither the new owner nor the former one took a responsibility; the main model has it now.

    Attributes:
        handover: from the former owner to the main model.
        failure: failure of the new owner; None if it refused.
    """

    def __init__(self, text: str, handover: Handover) -> None:
        super().__init__(text)
        self.handover = handover
        self.failure: RunFailed | None = None


class TwoPhaseHandover:
    """The only place where a responsibility moves.

    Every attribute has exactly one owner at any time, and what is taken equals what was released, to the bit: if
    taking fails, the old owner takes the value back; if it cannot, the main model takes it, else the run stops.

    Args:
        scene: values and the table of responsibilities.
        ports: the models, by index.
        main: index of the main model.
    """

    def __init__(self, scene: Scene, ports: Sequence[ModelPort], main: int) -> None:
        self._scene = scene
        self._ports = ports
        self._main = main

    def move(self, slot: int, to: int, cause: str) -> Handover | None:
        """Move one responsibility; None if the model has it already.

        Raises:
            FellBackToMain: if neither the new owner nor the former one takes it, but the main model does.
            Refused: if the move does not happen; the former owner still has it.
            RunFailed: if a model fails, or no model takes the value.
        """
        table = self._scene.table
        owner = table.owner(slot)
        if owner == to:
            return None
        place = self._scene.layout.slots[slot]
        entity, attribute = place.entity, place.attribute.name
        receiver = self._ports[to]
        if not receiver.plan.provides(attribute):
            raise Refused(f"{receiver.plan.name} cannot be responsible for {attribute}")
        scene = self._scene.snapshot()
        value = self._ports[owner].release(entity, attribute, scene)
        self._check(value, slot, owner)
        value = _fixed(value)
        try:
            receiver.take(entity, attribute, value, scene)
        except Refused as refusal:
            text = f"{receiver.plan.name} refused {entity}.{attribute}: {refusal}"
            self._return(slot, owner, value, cause, text)
            raise Refused(text) from None
        except RunFailed as failure:
            if receiver.plan.on_failure is OnFailure.STOP:
                raise
            try:
                self._return(slot, owner, value, cause, f"{receiver.plan.name} failed")
            except FellBackToMain as fall:
                fall.failure = failure
                raise
            raise
        return self._moved(slot, owner, to, cause, value)

    def place(self, slot: int, data: Floats) -> None:
        """Give an attribute another value, from which its owner continues.

        Raises:
            Refused: if the owner does not accept the value; it continues from its own.
            RunFailed: if the owner fails.
        """
        place = self._scene.layout.slots[slot]
        entity, attribute = place.entity, place.attribute.name
        owner = self._ports[self._scene.table.owner(slot)]
        scene = self._scene.snapshot()
        value = _fixed(Value(data, self._scene.time_ns))
        wrong = wrong_numbers(value, place.attribute)
        if wrong is not None:
            raise Refused(f"{entity}.{attribute} {wrong}")
        owner.place(entity, attribute, value, scene)
        self._scene.put(slot, value)

    def take_from_failed(self, slot: int, cause: str) -> Handover:
        """Give an attribute of a failed model to the main model, with the last good value.

        An attribute that the main model cannot compute keeps that value.

        Raises:
            RunFailed: if the main model does not take back what it brought into the scene.
        """
        place = self._scene.layout.slots[slot]
        owner = self._scene.table.owner(slot)
        value = _fixed(self._scene.value(slot))
        main = self._ports[self._main]
        try:
            if main.plan.provides(place.attribute.name):
                scene = self._scene.snapshot()
                main.take(place.entity, place.attribute.name, value, scene)
        except Refused as refusal:
            if slot in self._scene.of_main:
                reason = str(refusal)
                raise RunFailed(main.plan.name, "take", self._scene.time_ns, reason) from None
        return self._moved(slot, owner, self._main, cause, value)

    def give_to_restarted(self, slot: int, to: int, cause: str) -> Handover:
        """Give a restarted model an attribute that the main model does not compute but only holds for it.

        The restarted model owns it even if it refuses the value, as it does at the start of a run.
        """
        place = self._scene.layout.slots[slot]
        value = _fixed(self._scene.value(slot))
        with suppress(Refused):
            self._ports[to].take(place.entity, place.attribute.name, value, self._scene.snapshot())
        return self._moved(slot, self._main, to, cause, value)

    def _moved(self, slot: int, owner: int, to: int, cause: str, value: Value) -> Handover:
        place = self._scene.layout.slots[slot]
        self._scene.table.move(slot, to)
        self._scene.put(slot, value)
        names = self._scene.table.models
        return Handover(
            self._scene.time_ns,
            place.entity,
            place.attribute.name,
            names[owner],
            names[to],
            cause,
            value,
        )

    def _return(self, slot: int, owner: int, value: Value, cause: str, text: str) -> None:
        """Give the value back to its former owner, or to the main model."""
        place = self._scene.layout.slots[slot]
        scene = self._scene.snapshot()
        for candidate in dict.fromkeys((owner, self._main)):
            try:
                self._ports[candidate].take(place.entity, place.attribute.name, value, scene)
            except Refused as further:
                text += f"; {self._ports[candidate].plan.name} does not take it back: {further}"
                continue
            handover = self._moved(slot, owner, candidate, cause, value)
            if candidate != owner:
                raise FellBackToMain(f"{text}; {handover.to_model} has it now", handover)
            return
        raise RunFailed(self._ports[owner].plan.name, "take", self._scene.time_ns, text)

    def _check(self, value: Value, slot: int, owner: int) -> None:
        place = self._scene.layout.slots[slot]
        wrong = wrong_numbers(value, place.attribute)
        if wrong is None and value.parent != WORLD:
            wrong = f"must be in the world frame, not in {value.parent!r}"
        if wrong is None and value.time_ns != self._scene.time_ns:
            wrong = f"is stamped {value.time_ns / 1e9:.9f} s; expected the present time"
        if wrong is not None:
            raise RunFailed(
                self._ports[owner].plan.name,
                "release",
                self._scene.time_ns,
                f"{place.entity}.{place.attribute.name} {wrong}",
            )


def _fixed(value: Value) -> Value:
    """The same value, which neither the old owner nor the new one can change."""
    data = value.data.copy()
    data.flags.writeable = False
    return Value(data, value.time_ns, value.parent)
