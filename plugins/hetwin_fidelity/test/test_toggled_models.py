"""Models that are switched off and on, again and again."""

from __future__ import annotations

from support.small_ensemble import run

from hetwin_core.ensemble.model import Changes, Contribution, Tick
from hetwin_core.ensemble.parameters import Parameters
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import Fidelity, Floats
from hetwin_fidelity import Signaler

TURNS = 1000
SCENARIO = """
scenario: small
rate: 100
models:
  physics: {{type: "support.toys:ToyPhysics", main: true, parameters: {{until: {seconds}}}}}
  flipper: {{type: "test_toggled_models:Flipper", parameters: {{models: [script]}}}}
  script: {{type: "support.small_ensemble:Watcher"}}
"""


class FlipperSettings(Parameters):
    models: list[str]


class Flipper(Signaler[FlipperSettings]):
    """Says low and high in turn."""

    def initialize(self, settings: FlipperSettings, scene: Contribution) -> None:
        self._count = 0
        for name in settings.models:
            scene.add(Entity(name, EntityKind.CONCEPT))
        self._register(scene, settings.models, Fidelity.HIGH)

    def step(self, tick: Tick) -> Changes:
        self._count += 1
        level = Fidelity.LOW if self._count % 2 else Fidelity.HIGH
        levels: Floats = self._published.copy()
        levels[:] = float(level)
        return self._changed(levels, tick)


def test_a_model_steps_whenever_it_is_high_and_only_then() -> None:
    outcome = run(SCENARIO.format(seconds=2 * TURNS / 100))
    assert outcome.summary.error is None
    times = [round(100 * time) for time in outcome.models["script"].times]
    # The level is low at odd steps, high at even ones, and takes effect one step later.
    assert times == list(range(1, 2 * TURNS + 1, 2))
    told = [float(scene.get("script", "fidelity")[0]) for scene in outcome.record.scenes]
    assert told[-1] == Fidelity.HIGH
