"""Handovers of a run: moved in two phases, recorded and published, with the models that get none any more."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_core.ensemble.conductor.handovers.two_phase_handover import (
    FellBackToMain,
    TwoPhaseHandover,
)
from hetwin_core.ensemble.conductor.reporting.digest import Digest
from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.conductor.reporting.listener_group import ListenerGroup
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.saving.fields import Restorable
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.transport.port import ModelPort


class Handovers(Restorable):
    """Moves responsibilities and records each move; a failing model is the caller's business.

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
        """Move one responsibility; a refusal is noted and counted, and nothing else happens.

        Returns:
            Why it was refused; None if it was not.

        Raises:
            FellBackToMain: if the new owner failed and the former one does not take it back; the main model has it.
            RunFailed: if a model fails; the former owner, if it still works, has the responsibility.
        """
        try:
            self.check_in_service(to)
            handover = self._two_phase.move(slot, to, cause)
        except FellBackToMain as fall:
            self.refuse(cause, str(fall))
            self._record(fall.handover)
            if fall.failure is not None:
                raise
            return str(fall)
        except Refused as refusal:
            self.refuse(cause, str(refusal))
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
        """Give up a model, and give these slots of it to the main model.

        Raises:
            RunFailed: if the main model fails, or does not take what it brought into the scene.
        """
        name = self._scene.table.models[model]
        self._given_up[model] = f"{name} was given up at {self._scene.time_ns / 1e9:.6f} s"
        for slot in slots:
            self._record(self._two_phase.take_from_failed(slot, cause))

    def readmit(self, model: int) -> None:
        """A model that was given up works again."""
        del self._given_up[model]

    def give_back(self, slot: int, to: int, cause: str) -> None:
        """Give a restarted model what it had before it failed.

        Raises:
            RunFailed: if it fails again.
        """
        if slot in self._scene.of_main:
            self.move(slot, to, cause)
        else:
            self._record(self._two_phase.give_to_restarted(slot, to, cause))

    @property
    def any_given_up(self) -> str | None:
        """Which model was given up last, and when, in words; None if all are in service."""
        return next(reversed(self._given_up.values()), None)

    def is_given_up(self, model: int) -> bool:
        """Whether the model has failed and takes no further part in the run."""
        return model in self._given_up

    def check_in_service(self, model: int) -> None:
        """Raise Refused if the model was given up."""
        if model in self._given_up:
            raise Refused(self._given_up[model])

    def refuse(self, source: str, text: str) -> None:
        """Count and publish that something asked for is not done."""
        self.refused += 1
        self._listeners.note(self._scene.time_ns, "warning", source, text)

    def _record(self, handover: Handover) -> None:
        self.done.append(handover)
        self._digest.handover(handover)
        self._listeners.handover(handover)
