"""What a model does to a body of the main model reaches the main model at every step."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from support.small_ensemble import Watcher, WatcherSettings, run
from support.toys import ToyPhysics

from hetwin_core.ensemble.model import Changes, Contribution, MainTick
from hetwin_core.ensemble.scene.values import EXTERNAL_WRENCH

TEXT = """
scenario: forces
rate: 100
models:
  physics: {type: "test_forces_on_main:Hearing", main: true, parameters: {until: 0.06}}
  pusher: {type: "test_forces_on_main:Pusher", every: 2}
"""


class Hearing(ToyPhysics):
    """Notes what it is told of the others."""

    heard: ClassVar[list[dict[tuple[str, str], list[float]]]] = []

    def step(self, tick: MainTick) -> Changes:
        self.heard.append({key: v.data.tolist() for key, v in tick.foreign.items()})
        return super().step(tick)


class Pusher(Watcher):
    """Pushes the ball harder and harder."""

    def initialize(self, settings: WatcherSettings, scene: Contribution) -> None:
        super().initialize(settings, scene)
        scene.set("ball", EXTERNAL_WRENCH, np.zeros(6))

    def step(self, tick: MainTick) -> Changes:
        wrench = np.array([tick.time_ns / 1e9, 0, 0, 0, 0, 0])
        return tick.changes().set("ball", EXTERNAL_WRENCH, wrench)


def test_the_main_model_hears_the_newest_force() -> None:
    Hearing.heard.clear()
    outcome = run(TEXT)
    assert outcome.summary.error is None
    told = [foreign["ball", "external_wrench"][0] for foreign in Hearing.heard]
    assert told == [0.0, 0.0, 0.02, 0.02, 0.04, 0.04]
