"""Messages to pages: the scene once, states as frames of numbers, and all else as JSON.

A binary message begins with two uint32: its kind and the phase. A state goes on with five float64 (time, factor, lag,
pace, for how long nothing has come of a live robot; NaN: there is none), float32 poses (x y z, qx qy qz qw; one for
each body of the scene) and int16 owners (one for each attribute). A scene goes on with a block, see `film.encode`.
"""

from __future__ import annotations

import json
import math
import mmap
import struct
import time
from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.tables import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import POSE, Floats, Ints
from hetwin_suite.view.film.encode import Block, scene_header
from hetwin_suite.view.film.film import Scene
from hetwin_suite.view.film.scene_of import scene_of
from hetwin_suite.view.live.visit import Begun, Happening, Now, Over, Phase

SIZE = 64 * 1024 * 1024
"""Only what is written takes up memory."""
_COUNTER, _TIME, _WAITS, _NEAR = range(4)
_FACTOR, _PACE, _LAG = range(4, 7)
_HEAD = 8
_MOST_NEAR = 1000
"""Rows of proximity; of more, these are kept."""
_TRIES = 1000
WINDOW_NS = 2_000_000_000
"""Wall time over which the factor is measured."""


class Newest:
    """Memory for the newest state; made before the process of the run is forked."""

    def __init__(self) -> None:
        memory = memoryview(mmap.mmap(-1, SIZE))
        self._ints = memory[: _HEAD * 8].cast("q")
        self._floats = memory[: _HEAD * 8].cast("d")
        self._rest = memory[_HEAD * 8 :]
        self._values: Floats = np.empty(0)
        self._owners: Ints = np.empty(0, np.int32)
        self._near: Floats = np.empty((0, PROXIMITY_COLUMNS))

    def fit(self, layout: Layout) -> None:
        """Prepare for the states of a layout, in each process on its own.

        Raises:
            BadInput: if they are too large.
        """
        near = _MOST_NEAR * PROXIMITY_COLUMNS * 8
        split = near + layout.size * 8
        end = split + len(layout.slots) * 4
        if end > len(self._rest):
            raise BadInput(
                "these are more attributes than a page can be shown",
                where="--show",
                found=f"{end} bytes",
                expected=f"at most {len(self._rest)}",
            )
        self._near = np.frombuffer(self._rest[:near]).reshape(-1, PROXIMITY_COLUMNS)
        self._values = np.frombuffer(self._rest[near:split], np.float64)
        self._owners = np.frombuffer(self._rest[split:end], np.int32)

    def write(
        self,
        time_ns: int,
        values: Floats,
        owners: Ints,
        *,
        waits: bool,
        factor: float | None,
        pace: float | None,
        lag_s: float | None,
        near: Floats | None = None,
    ) -> None:
        """Copy a state into the memory; in the process of the run."""
        ints, floats = self._ints, self._floats
        ints[_COUNTER] += 1
        ints[_TIME] = time_ns
        ints[_WAITS] = waits
        floats[_FACTOR] = math.nan if factor is None else factor
        floats[_PACE] = math.nan if pace is None else pace
        floats[_LAG] = math.nan if lag_s is None else lag_s
        self._values[:] = values
        self._owners[:] = owners
        count = -1 if near is None else min(len(near), _MOST_NEAR)
        ints[_NEAR] = count
        if near is not None:
            self._near[:count] = near[:count]
        ints[_COUNTER] += 1

    def read(self) -> Now | None:
        """The newest state; None if there is none, or it is only half there however often one looks."""
        ints, floats = self._ints, self._floats
        for _ in range(_TRIES):
            before = ints[_COUNTER]
            if before == 0:
                return None
            if before % 2 == 0:
                factor, pace, lag_s = (
                    None if math.isnan(x) else x for x in floats[_FACTOR : _LAG + 1]
                )
                copied = Now(
                    ints[_TIME],
                    self._values.copy(),
                    self._owners.copy(),
                    Phase.PAUSED if ints[_WAITS] else Phase.RUNNING,
                    factor,
                    pace,
                    lag_s,
                    None if ints[_NEAR] < 0 else self._near[: ints[_NEAR]].copy(),
                )
                if ints[_COUNTER] == before:
                    return copied
            time.sleep(0)
        return None


class Factor:
    """How many times real time a run goes, measured over its last seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[int, int]] = deque()

    def begin_anew(self) -> None:
        """Forget what was, after the run stood still."""
        self._seen.clear()

    def at(self, wall_ns: int, time_ns: int) -> float | None:
        """The factor now; None until it can be known.

        Args:
            wall_ns: wall time.
            time_ns: simulated time that the run has come to.
        """
        seen = self._seen
        seen.append((wall_ns, time_ns))
        while len(seen) > 2 and wall_ns - seen[1][0] >= WINDOW_NS:
            seen.popleft()
        first_wall, first_time = seen[0]
        return (time_ns - first_time) / (wall_ns - first_wall) if wall_ns > first_wall else None


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
    """The message with what has happened."""
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
