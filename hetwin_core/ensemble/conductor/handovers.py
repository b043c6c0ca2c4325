"""Moving a responsibility in two phases: the old owner releases, the new one takes, then the table changes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from hetwin_core.ensemble.conductor.reporting.digest import Digest
from hetwin_core.ensemble.conductor.reporting.listener import Handover, ListenerGroup
from hetwin_core.ensemble.errors import Refused, RunFailed
from hetwin_core.ensemble.saving.rebuild import Restorable
from hetwin_core.ensemble.scenario.schema import OnFailure
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.values import WORLD, Floats, Value
from hetwin_core.ensemble.transport.port import ModelPort, numbers_problem


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

    Every attribute has exactly one owner at any time, and the taken value equals the released one, to the bit: if
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
        slot_info = self._scene.layout.slots[slot]
        entity, attribute = slot_info.entity, slot_info.attribute.name
        receiver = self._ports[to]
        if not receiver.plan.provides(attribute):
            raise Refused(f"{receiver.plan.name} cannot be responsible for {attribute}")
        scene = self._scene.snapshot()
        value = self._ports[owner].release(entity, attribute, scene)
        self._check(value, slot, owner)
        value = _read_only_copy(value)
        try:
            receiver.take(entity, attribute, value, scene)
        except Refused as refusal:
            text = f"{receiver.plan.name} refused {entity}.{attribute}: {refusal}"
            self._give_back_value(slot, owner, value, cause, text)
            raise Refused(text) from None
        except RunFailed as failure:
            if receiver.plan.on_failure is OnFailure.STOP:
                raise
            try:
                self._give_back_value(slot, owner, value, cause, f"{receiver.plan.name} failed")
            except FellBackToMain as fallback:
                fallback.failure = failure
                raise
            raise
        return self._record_move(slot, owner, to, cause, value)

    def place(self, slot: int, data: Floats) -> None:
        """Give an attribute another value, from which its owner continues.

        Raises:
            Refused: if the owner does not accept the value; it continues from its own.
            RunFailed: if the owner fails.
        """
        slot_info = self._scene.layout.slots[slot]
        entity, attribute = slot_info.entity, slot_info.attribute.name
        owner = self._ports[self._scene.table.owner(slot)]
        scene = self._scene.snapshot()
        value = _read_only_copy(Value(data, self._scene.time_ns))
        problem = numbers_problem(value, slot_info.attribute)
        if problem is not None:
            raise Refused(f"{entity}.{attribute} {problem}")
        owner.place(entity, attribute, value, scene)
        self._scene.put(slot, value)

    def take_from_failed(self, slot: int, cause: str) -> Handover:
        """Give an attribute of a failed model to the main model, with the last good value.

        An attribute that the main model cannot compute keeps that value.

        Raises:
            RunFailed: if the main model does not take back an attribute that it computes itself.
        """
        slot_info = self._scene.layout.slots[slot]
        owner = self._scene.table.owner(slot)
        value = _read_only_copy(self._scene.value(slot))
        main = self._ports[self._main]
        try:
            if main.plan.provides(slot_info.attribute.name):
                scene = self._scene.snapshot()
                main.take(slot_info.entity, slot_info.attribute.name, value, scene)
        except Refused as refusal:
            if slot in self._scene.of_main:
                reason = str(refusal)
                raise RunFailed(main.plan.name, "take", self._scene.time_ns, reason) from None
        return self._record_move(slot, owner, self._main, cause, value)

    def give_to_restarted(self, slot: int, to: int, cause: str) -> Handover:
        """Give a restarted model an attribute that the main model does not compute but only holds for it.

        The restarted model becomes the owner even if it refuses the value, as at the start of a run.
        """
        slot_info = self._scene.layout.slots[slot]
        value = _read_only_copy(self._scene.value(slot))
        with suppress(Refused):
            self._ports[to].take(
                slot_info.entity, slot_info.attribute.name, value, self._scene.snapshot()
            )
        return self._record_move(slot, self._main, to, cause, value)

    def _record_move(self, slot: int, owner: int, to: int, cause: str, value: Value) -> Handover:
        slot_info = self._scene.layout.slots[slot]
        self._scene.table.move(slot, to)
        self._scene.put(slot, value)
        names = self._scene.table.models
        return Handover(
            self._scene.time_ns,
            slot_info.entity,
            slot_info.attribute.name,
            names[owner],
            names[to],
            cause,
            value,
        )

    def _give_back_value(self, slot: int, owner: int, value: Value, cause: str, text: str) -> None:
        """Give the value back to its former owner, or to the main model."""
        slot_info = self._scene.layout.slots[slot]
        scene = self._scene.snapshot()
        for candidate in dict.fromkeys((owner, self._main)):
            try:
                self._ports[candidate].take(
                    slot_info.entity, slot_info.attribute.name, value, scene
                )
            except Refused as next_refusal:
                text += (
                    f"; {self._ports[candidate].plan.name} does not take it back: {next_refusal}"
                )
                continue
            handover = self._record_move(slot, owner, candidate, cause, value)
            if candidate != owner:
                raise FellBackToMain(f"{text}; {handover.to_model} has it now", handover)
            return
        raise RunFailed(self._ports[owner].plan.name, "take", self._scene.time_ns, text)

    def _check(self, value: Value, slot: int, owner: int) -> None:
        slot_info = self._scene.layout.slots[slot]
        problem = numbers_problem(value, slot_info.attribute)
        if problem is None and value.parent != WORLD:
            problem = f"must be in the world frame, not in {value.parent!r}"
        if problem is None and value.time_ns != self._scene.time_ns:
            problem = f"is stamped {value.time_ns / 1e9:.9f} s; expected the current time"
        if problem is not None:
            raise RunFailed(
                self._ports[owner].plan.name,
                "release",
                self._scene.time_ns,
                f"{slot_info.entity}.{slot_info.attribute.name} {problem}",
            )


def _read_only_copy(value: Value) -> Value:
    """Return a read-only copy, which neither the old owner nor the new one can change."""
    data = value.data.copy()
    data.flags.writeable = False
    return Value(data, value.time_ns, value.parent)


class Handovers(Restorable):
    """Moves responsibilities and records each move; the caller handles failures of models.

    Args:
        scene: values and the table of responsibilities.
        ports: the models, by index.
        main: index of the main model.
        digest: receives every handover.
        listeners: receive every handover and a note of every refusal.

    Attributes:
        done: all handovers so far.
        refused: number of refusals so far.
    """

    saved_fields = ("done", "refused")

    def __init__(
        self,
        scene: Scene,
        ports: Sequence[ModelPort],
        main: int,
        digest: Digest,
        listeners: ListenerGroup,
    ) -> None:
        self._scene = scene
        self._two_phase = TwoPhaseHandover(scene, ports, main)
        self._digest = digest
        self._listeners = listeners
        self._given_up: dict[int, str] = {}
        self.done: list[Handover] = []
        self.refused = 0

    def move(self, slot: int, to: int, cause: str) -> str | None:
        """Move one responsibility; a refusal is noted and counted, and has no other effect.

        Returns:
            The reason for a refusal; None if the responsibility moved.

        Raises:
            FellBackToMain: if the new owner failed and the former one does not take it back; the main model has it.
            RunFailed: if a model fails; the former owner has the responsibility, unless it was the one that failed.
        """
        try:
            self.check_in_service(to)
            handover = self._two_phase.move(slot, to, cause)
        except FellBackToMain as fallback:
            self.record_refusal(cause, str(fallback))
            self._record(fallback.handover)
            if fallback.failure is not None:
                raise
            return str(fallback)
        except Refused as refusal:
            self.record_refusal(cause, str(refusal))
            return str(refusal)
        if handover is not None:
            self._record(handover)
        return None

    def place(self, slot: int, data: Floats) -> None:
        """Give an attribute another value, from which its owner continues.

        Raises:
            Refused: if the owner does not accept it.
            RunFailed: if the owner fails.
        """
        self.check_in_service(self._scene.table.owner(slot))
        self._two_phase.place(slot, data)

    def take_from_failed(self, model: int, slots: Sequence[int], cause: str) -> None:
        """Give up a model, and hand these slots of it to the main model.

        Raises:
            RunFailed: if the main model fails, or does not take back an attribute that it computes itself.
        """
        name = self._scene.table.models[model]
        self.take_out_of_service(model, f"{name} was given up at {self._scene.time_ns / 1e9:.6f} s")
        for slot in slots:
            self._record(self._two_phase.take_from_failed(slot, cause))

    def take_out_of_service(self, model: int, reason: str) -> None:
        """Hand over nothing to a model from now on; `reason` is the reason given in refusals."""
        self._given_up[model] = reason

    def readmit(self, model: int) -> None:
        """Take a model into service that was given up and works again, or that has joined."""
        del self._given_up[model]

    def give_back(self, slot: int, to: int, cause: str) -> None:
        """Give a restarted model the responsibilities that it had before it failed.

        Raises:
            RunFailed: if it fails again.
        """
        if slot in self._scene.of_main:
            self.move(slot, to, cause)
        else:
            self._record(self._two_phase.give_to_restarted(slot, to, cause))

    @property
    def last_given_up(self) -> str | None:
        """Text about the model that was given up last, with the time; None if all are in service."""
        return next(reversed(self._given_up.values()), None)

    def is_given_up(self, model: int) -> bool:
        """Whether the model has failed and no longer takes part in the run."""
        return model in self._given_up

    def check_in_service(self, model: int) -> None:
        """Check that a model is in service.

        Raises:
            Refused: if it was given up.
        """
        if model in self._given_up:
            raise Refused(self._given_up[model])

    def record_refusal(self, source: str, text: str) -> None:
        """Count and publish a refused request."""
        self.refused += 1
        self._listeners.note(self._scene.time_ns, "warning", source, text)

    def _record(self, handover: Handover) -> None:
        self.done.append(handover)
        self._digest.handover(handover)
        self._listeners.handover(handover)
