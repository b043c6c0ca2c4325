"""The trivial ensemble for mosaik, all simulators in one process or each in its own."""

from __future__ import annotations

import sys
import time
from typing import Any

import mosaik
import mosaik_api_v3

from coupling_peers.arguments import SHARE, read, tell

META: Any = {
    "api_version": "3.0",
    "type": "time-based",
    "models": {"Tank": {"public": True, "params": [], "attrs": ["level", "source"]}},
}


class Tank(mosaik_api_v3.Simulator):
    """Counts up without a connected source, else follows it."""

    def __init__(self) -> None:
        super().__init__(META)
        self._level = 0.0

    def create(self, num: int, model: str, **_: Any) -> list[dict[str, Any]]:
        """The only entity."""
        return [{"eid": "tank", "type": model}]

    def step(self, time: int, inputs: Any, max_advance: int) -> int:
        """One step."""
        if inputs:
            (source,) = inputs["tank"]["source"].values()
            self._level += SHARE * (source - self._level)
        else:
            self._level += 1.0
        return time + 1

    def get_data(self, outputs: Any) -> Any:
        """The level."""
        return {"tank": {"level": self._level}}


def main() -> None:
    """Run and print."""
    given = read("in-process", "subprocess")
    how = {"python": f"{__name__}:Tank"}
    if given.way == "subprocess":
        how = {"cmd": f"{sys.executable} -m coupling_peers.mosaik_peer serve %(addr)s"}
    world = mosaik.World({"Tank": how}, skip_greetings=True, configure_logging=False)
    tanks = [world.start("Tank").Tank() for _ in range(given.models)]
    for follower in tanks[1:]:
        world.connect(tanks[0], follower, ("level", "source"))
    begun = time.perf_counter()
    world.run(until=given.steps, print_progress=False, shutdown=False)
    seconds = time.perf_counter() - begun
    levels = [world.get_data({t: ["level"]})[t]["level"] for t in tanks[:2]]
    world.shutdown()
    tell(seconds, levels)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        del sys.argv[1]
        mosaik_api_v3.start_simulation(Tank())
    else:
        main()
