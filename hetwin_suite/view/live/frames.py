"""Messages to pages: the scene once, states as frames of numbers, and all else as JSON.

A binary message begins with two uint32: its kind and the phase. A state goes on with five float64 (time, factor, lag,
pace, for how long nothing has come of a live robot; NaN: there is none), float32 poses (x y z, qx qy qz qw; one for
each body of the scene) and int16 owners (one for each attribute). A scene goes on with a block, see `film.encode`.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import POSE
from hetwin_suite.view.film.encode import Block, scene_header
from hetwin_suite.view.film.film import Scene
from hetwin_suite.view.film.scene_of import scene_of
from hetwin_suite.view.live.feed import Begun, Happening, Now, Over, Phase

STATE, SCENE = 1, 2
_PHASES = tuple(Phase)
_PAGE_ORDER = (0, 1, 2, 4, 5, 6, 3)
"""Where a pose's numbers in the page's order stand in the scene's."""


class Frames:
    """Makes the messages about one run.

    Args:
        begun: the run.

    Attributes:
        scene: the message with its scene.
    """

    def __init__(self, begun: Begun) -> None:
        candidates = {
            (slot.entity, slot.attribute.name): begun.able.get(slot.attribute.name, ())
            for slot in begun.layout.slots
        }
        scene = scene_of(begun.name, begun.layout, begun.models, candidates)
        self.scene = _scene_message(begun, scene)
        self._places, self._is_there = _places(scene, begun.layout)

    def state(self, now: Now, silent_s: float | None = None) -> bytes:
        """The message with a state.

        Args:
            now: the state.
            silent_s: for how long there has been none of a live robot before or since [s]; None: no gap.
        """
        poses = now.values[self._places].astype(np.float32)
        poses[~self._is_there] = np.nan
        numbers = (
            math.nan if n is None else n for n in (now.factor, now.lag_s, now.pace, silent_s)
        )
        head: bytes = struct.pack(
            "<II5d", STATE, _PHASES.index(now.phase), now.time_ns / 1e9, *numbers
        )
        return head + poses.astype("<f4").tobytes() + now.owners.astype("<i2").tobytes()


def happened(rows: Sequence[Happening]) -> str:
    """The message with the happenings."""
    return json.dumps(
        {
            "kind": "happened",
            "rows": [
                {
                    "time": row.time_ns / 1e9,
                    "kind": row.kind.value,
                    "name": row.name,
                    "text": row.text,
                    "entity": row.entity,
                    "more": dict(row.more),
                }
                for row in rows
            ],
        }
    )


def over_message(over: Over) -> str:
    """The message that the run is over."""
    return json.dumps(
        {
            "kind": "over",
            "ended": over.ended,
            "text": over.text,
            "deterministic": over.deterministic,
            "folder": over.folder,
        }
    )


def replied(number: object, refused: str | None) -> str:
    """The message that something asked for is done, or why not."""
    return json.dumps({"kind": "replied", "id": number, "refused": refused})


def _scene_message(begun: Begun, scene: Scene) -> bytes:
    block = Block()
    duration = None if begun.duration_ns is None else begun.duration_ns / 1e9
    header = {
        "scene": scene_header(scene, block),
        "duration": duration,
        "not_held": begun.not_held,
        "buttons": begun.buttons,
    }
    kind: bytes = struct.pack("<II", SCENE, 0)
    return kind + block.deflated(header)


def _places(scene: Scene, layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(bodies, 7) where in the values the poses are, and for which bodies there is one."""
    places = np.zeros((len(scene.bodies), len(_PAGE_ORDER)), np.int64)
    is_there = np.zeros(len(scene.bodies), bool)
    for row, body in enumerate(scene.bodies):
        slot = layout.find(body.name, POSE.name)
        if slot is not None:
            places[row] = layout.slots[slot].offset + np.array(_PAGE_ORDER)
            is_there[row] = True
    return places, is_there
