"""A mosaik co-simulation of two simulators, one of which fails as the environment specifies."""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path
from typing import Any

import mosaik_api_v3
from fault_deeds import DEEDS

META = {
    "api_version": "3.0",
    "type": "time-based",
    "models": {"Tank": {"public": True, "params": [], "attrs": ["level", "inflow"]}},
}
FAULT, TRANSPORT, MARK = (os.environ[f"PEER_{key}"] for key in ("FAULT", "TRANSPORT", "MARK"))
AT, UNTIL = 10, 50
LEVELS: dict[str, Any] = {"not a number": math.nan, "infinity": math.inf, "wrong type": "high"}
STEPS = {"time stands still": 0, "time goes back": -5}


class Tank(mosaik_api_v3.Simulator):
    """A level that rises; fails at step 10 if configured."""

    def __init__(self) -> None:
        super().__init__(META)
        self._fails = False
        self._level: Any = 0.0

    def init(self, sid: str, time_resolution: float = 1.0, fails: bool = False) -> Any:
        """Read whether it fails."""
        self._fails = fails
        return self.meta

    def create(self, num: int, model: str) -> Any:
        """One entity."""
        return [{"eid": "tank", "type": model}]

    def step(self, time: int, inputs: Any, max_advance: int) -> int:
        """Rise, or fail."""
        self._level = float(time)
        if self._fails and time == AT:
            return self._fail(time)
        return time + 1

    def get_data(self, outputs: Any) -> Any:
        """The level."""
        return {"tank": {"level": self._level}}

    def _fail(self, now: int) -> int:
        Path(MARK).write_text(str(time.time()))
        if FAULT in DEEDS:
            DEEDS[FAULT]()
        self._level = LEVELS.get(FAULT, self._level)
        return now + STEPS.get(FAULT, 1)


def run() -> None:
    """Run both to the end."""
    import mosaik

    how = (
        {"cmd": f"{sys.executable} {__file__} %(addr)s"}
        if TRANSPORT == "subprocess"
        else {"python": "__main__:Tank"}
    )
    world = mosaik.World({"Tank": how}, skip_greetings=True)
    first = world.start("Tank", fails=True).Tank()
    second = world.start("Tank", fails=False).Tank()
    world.connect(first, second, ("level", "inflow"))
    world.run(until=UNTIL, print_progress=False)
    print("run() returned")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        mosaik_api_v3.start_simulation(Tank())
    else:
        run()
