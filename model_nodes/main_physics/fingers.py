"""Joints of hands that follow a recording otherwise than exactly.

Recorded positions alone say little about how firmly a hand holds: a tenth of a millimetre decides whether the fingers
of a simulation press. The joints of hands may therefore close by a margin more than recorded, or be pushed by the
recorded efforts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Engine, Unsupported
from model_nodes.main_physics.settings import NamedHand, Settings
from model_nodes.main_physics.sources.part import JointMotion


class Fingers:
    """The deviation of the hands' joints from the recording.

    Args:
        joints: names of the driven joints, in the order of `Engine.driven`.
        settings: of the main model: hands, margin and stiffness.
        engine: in which they move; a stiffness makes them soft.

    Attributes:
        loose: indices of the joints that need not be where they were recorded.
        soft: whether the recorded efforts push them.

    Raises:
        BadInput: if there is no hand with joints, it does not say which way they close, or the engine cannot push them.
    """

    def __init__(self, joints: Sequence[str], settings: Settings, engine: Engine) -> None:
        self._engine = engine
        self._margin: Floats = np.zeros(len(joints))
        self._grip: Floats = np.ones(len(joints))
        self._moved = settings.finger_margin > 0.0
        self.soft = settings.finger_stiffness is not None
        self.loose: tuple[int, ...] = ()
        if self._moved or self.soft:
            names = {name for hand in settings.hands for name in hand.scene_joints}
            self.loose = tuple(i for i, name in enumerate(joints) if name in names)
        if self._moved:
            _require_joints(settings, "finger_margin")
            for hand in settings.hands:
                self._close(joints, hand, settings.finger_margin)
        if settings.grips and not self.soft:
            raise BadInput(
                "the fingers move as recorded, however hard they press",
                where="grips",
                found=list(settings.grips),
                expected="finger_stiffness, with which their efforts count",
            )
        if settings.finger_stiffness is not None:
            _require_joints(settings, "finger_stiffness")
            self.press(joints, settings)
            self._soften(settings.finger_stiffness)

    def _close(self, joints: Sequence[str], hand: NamedHand, margin: float) -> None:
        if hand.joints and not (hand.opened and hand.closed):
            raise BadInput(
                "the hand does not say which way its joints close",
                where=f"hands.{hand.name}",
                expected="opened and closed, as finger_margin needs",
            )
        for name, opened, closed in zip(hand.scene_joints, hand.opened, hand.closed, strict=True):
            self._margin[joints.index(name)] = margin * np.sign(closed - opened)

    def press(self, joints: Sequence[str], settings: Settings) -> None:
        """Note by what factor each joint's recorded efforts are stronger, which only soft joints feel.

        Raises:
            BadInput: if there is no such hand.
        """
        hands = {hand.name: hand for hand in settings.hands}
        for name, factor in settings.grips.items():
            if name not in hands:
                expected = one_of(name, hands)
                raise BadInput(
                    "there is no such hand", where=f"grips.{name}", found=name, expected=expected
                )
            for joint in hands[name].scene_joints:
                self._grip[joints.index(joint)] = factor

    def _soften(self, stiffness: float) -> None:
        try:
            self._engine.soften_joints([self._engine.driven[i] for i in self.loose], stiffness)
        except Unsupported as error:
            raise BadInput(str(error), where="finger_stiffness") from None

    def closed(self, motion: JointMotion) -> JointMotion:
        """Return the motion with the margin."""
        return replace(motion, positions=motion.positions + self._margin) if self._moved else motion

    def efforts(self, motion: JointMotion) -> Floats:
        """Return the efforts that push soft joints."""
        return motion.efforts * self._grip


def _require_joints(settings: Settings, key: str) -> None:
    if not any(hand.joints for hand in settings.hands):
        raise BadInput("there is no hand with joints", where=key, expected="hands with joints")
