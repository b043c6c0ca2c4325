"""Publishes the state after each step."""

from __future__ import annotations

from hetwin_core.ensemble.conductor.reporting.digest import Digest
from hetwin_core.ensemble.conductor.reporting.listener_group import ListenerGroup
from hetwin_core.ensemble.conductor.reporting.predicates import Predicates
from hetwin_core.ensemble.conductor.scheduling.lag import LagControl
from hetwin_core.ensemble.model import MainChanges
from hetwin_core.ensemble.saving.fields import Restorable
from hetwin_core.ensemble.scene.scene import Scene


class StatePublisher(Restorable):
    """Gives the state after each step, once, to the digest, the predicates and the listeners.

    Args:
        scene: the values; those of the last complete step whenever `publish` is called.
        digest: of the run.
        listeners: of the run.
        lag: measures how late the state of a live robot is.

    Attributes:
        predicates: what observers have said so far.
    """

    saved_fields = ("_published",)

    def __init__(
        self, scene: Scene, digest: Digest, listeners: ListenerGroup, lag: LagControl
    ) -> None:
        self._scene = scene
        self._digest = digest
        self._listeners = listeners
        self._published = 0
        self.lag = lag
        self.predicates = Predicates(scene.layout)

    def begin(self) -> None:
        """Add the state at the start, which listeners get with the start itself, to the digest."""
        self._digest.values(0, self._scene.snapshot().values)

    def publish(self, step: int, output: MainChanges) -> None:
        """Publish the state after a step, unless it is published already.

        Args:
            step: the last complete step; 0 if none is.
            output: the main model's in this step.
        """
        if step == self._published:
            return
        self._published = step
        scene = self._scene.snapshot()
        self.predicates.observe(scene.values)
        self._digest.values(scene.time_ns, scene.values)
        self._listeners.stepped(step, scene)
        if output.input_ns is not None:
            self.lag.published(step, output.input_ns, late=output.late)
