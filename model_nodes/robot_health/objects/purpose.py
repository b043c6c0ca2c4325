"""Which motions of objects the robot's program evidently means."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.annotations import is_meant
from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.events import EventKind
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from model_nodes.robot_health.hands import is_of_hand
from model_nodes.robot_health.objects.states import ObjectStates
from model_nodes.robot_health.objects.touches import Touches
from model_nodes.robot_health.settings import Scale
from model_nodes.robot_health.view import View

TOUCHING = 0.002
"""What is nearer may move an object [m]."""
ACTING_NS = 1_000_000_000
"""An action counts for so long after its end [ns]."""
MEANT_NS = 2_000_000_000
"""So long before an object began to move, something must have been meant [ns]."""
_NEVER = np.iinfo(np.int64).min // 2


class Purpose:
    """Remembers when something was last done to each object on purpose.

    That is: a hand held it or a hand's link touched it; another link touched it while an annotated action went on; or
    something touched it that itself moves on purpose. Objects that the main model reports no distances of count as
    touched while an action goes on. What a hand has lost moves by itself until it has come to rest, or is held again.

    Args:
        layout: the scene's.
        states: the objects.
        touches: what they are near to.

    Attributes:
        lost: (k,) whether a hand has lost it, which nobody meant.
    """

    def __init__(self, layout: Layout, states: ObjectStates, touches: Touches) -> None:
        self._states, self._touches = states, touches
        kinds = np.array([entity.kind is EntityKind.LINK for entity in layout.entities], np.bool_)
        self._links = kinds
        self._hands = is_of_hand(layout)
        self._meant_ns = np.full(len(layout.entities), _NEVER, np.int64)
        self._resting = np.zeros(len(layout.entities), np.bool_)
        self._acted_ns = _NEVER
        self._number = {entity.name: i for i, entity in enumerate(states.entities)}
        self.lost = np.zeros(len(states.ids), np.bool_)

    def update(self, view: View) -> None:
        """Read a view, after states and touches."""
        self._lose(view)
        now, states, touches, meant = view.time_ns, self._states, self._touches, self._meant_ns
        acting = self._acts(view)
        meant[self._links] = now if acting else _NEVER
        meant[self._hands] = now
        meant[states.ids[states.held]] = now
        if acting:
            meant[states.ids[~touches.seen]] = now
        if not len(touches.others):
            return
        near = touches.distances <= TOUCHING
        objects, others = states.ids[touches.objects[near]], touches.others[near]
        passed = meant[others]
        passed[self._resting[others]] = _NEVER  # what rests moves nothing
        np.maximum.at(meant, objects, passed)

    def settle(self) -> None:
        """What was held until now was meant until now."""
        states = self._states
        self._meant_ns[states.ids[states.was_held]] = states.time_ns
        self.lost.fill(False)

    def judge(self, number: int, scale: Scale, measure: float) -> Severity | None:
        """The severity of a measure about an object: at most a note if the motion was meant, unless it is absurd."""
        severity = scale.severity(measure)
        if severity is Severity.WARNING and self.meant(number):
            return Severity.NOTE
        return severity

    def meant(self, number: int) -> bool:
        """Whether what an object does now goes back to something that was meant."""
        if self.lost[number]:
            return False
        since_ns = int(self._states.rested_ns[number]) - MEANT_NS
        return int(self._meant_ns[self._states.ids[number]]) >= since_ns

    def meant_since(self, number: int, time_ns: int) -> bool:
        """Whether something was done to an object on purpose since a time [ns]."""
        return int(self._meant_ns[self._states.ids[number]]) >= time_ns

    def _lose(self, view: View) -> None:
        """Take in what hands have lost; what has come to rest before now, or is held, is over."""
        states = self._states
        self.lost &= ~(states.held | self._resting[states.ids])
        self._resting[states.ids] = states.resting
        for event in view.events:
            number = self._number.get(str(event.arguments.get("object")))
            if event.kind is EventKind.MODEL and event.name == "lost" and number is not None:
                self.lost[number] = True

    def _acts(self, view: View) -> bool:
        if any(map(is_meant, (*view.actions.values(), *view.events))):
            self._acted_ns = view.time_ns
        return view.time_ns - self._acted_ns <= ACTING_NS
