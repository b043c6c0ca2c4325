"""What a model does to a body of the main model reaches the main model at every step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from support.small_ensemble import Watcher, run
from support.toys import ToyPhysics

from hetwin_core.ensemble.model import AttributeStart, Contribution, StepInput, StepOutput
from hetwin_core.ensemble.scene.values import EXTERNAL_WRENCH, Value

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

    def step(self, tick: StepInput) -> StepOutput:
        self.heard.append({key: v.data.tolist() for key, v in tick.foreign.items()})
        return super().step(tick)


class Pusher(Watcher):
    """Pushes the ball harder and harder."""

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        super().initialize(parameters, seed)
        start = AttributeStart("ball", EXTERNAL_WRENCH, Value(np.zeros(6), 0))
        return Contribution(attributes=(start,))

    def step(self, tick: StepInput) -> StepOutput:
        wrench = np.array([tick.time_ns / 1e9, 0, 0, 0, 0, 0])
        value = Value(wrench, tick.time_ns)
        return StepOutput(time_ns=tick.time_ns, values={("ball", EXTERNAL_WRENCH.name): value})


def test_the_main_model_hears_the_newest_force() -> None:
    Hearing.heard.clear()
    outcome = run(TEXT)
    assert outcome.summary.error is None
    told = [foreign["ball", "external_wrench"][0] for foreign in Hearing.heard]
    assert told == [0.0, 0.0, 0.02, 0.02, 0.04, 0.04]
