"""Models that do not come back."""

from __future__ import annotations

import ctypes
import faulthandler
import time

from hetwin_core.ensemble.model import Changes, Tick
from hetwin_core.ensemble.scene.snapshot import Snapshot
from support import toys

LONG_S = 600


class HangsInPython(toys.ToyCup):
    def step(self, tick: Tick) -> Changes:
        if tick.time_ns > 500_000_000:
            time.sleep(LONG_S)
        return super().step(tick)


class HangsInC(toys.ToyCup):
    """With Python's lock held."""

    def start(self, scene: Snapshot) -> None:
        ctypes.PyDLL(None).sleep(LONG_S)


class Crashes(toys.ToyCup):
    def start(self, scene: Snapshot) -> None:
        faulthandler.disable()  # pytest's, whose dump is no news here
        ctypes.string_at(0)
