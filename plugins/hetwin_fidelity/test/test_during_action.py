"""What is needed only during certain actions, and models that do not step meanwhile."""

from __future__ import annotations

import pytest
from support.small_ensemble import run

from hetwin_core.ensemble.errors import BadInput
from hetwin_fidelity.signalers import DuringAction

SCENARIO = """
scenario: small
rate: 100
models:
  physics:
    type: "support.toys:ToyPhysics"
    main: true
    parameters:
      until: 0.3
      actions:
        - {at: 0.1, name: pick, phase: begin}
        - {at: 0.2, name: pick, phase: end}
  signaler: {type: fidelity_during_action, parameters: {actions: [pick], models: [script], objects: [ball]}}
  script: {type: "support.small_ensemble:Watcher"}
"""


def test_a_model_steps_only_during_the_action() -> None:
    outcome = run(SCENARIO)
    times = outcome.models["script"].times
    assert times == pytest.approx([0.12 + 0.01 * i for i in range(10)])
    levels = [float(scene.get("ball", "fidelity")[0]) for scene in outcome.record.scenes]
    assert set(levels) == {0.0, 2.0}
    assert levels[:-1].count(2.0) == len(times)
    assert levels[-1] == 2.0, "at the end everything is as usual"


def test_without_a_signaler_it_always_steps() -> None:
    lines = [line for line in SCENARIO.splitlines() if "signaler" not in line]
    assert len(run("\n".join(lines)).models["script"].times) == 30


@pytest.mark.parametrize(
    ("parameters", "where"),
    [
        ({"actions": []}, "actions"),
        ({"actions": ["pick"]}, "objects"),
        ({"actions": "pick", "objects": ["ball"]}, "actions"),
        ({"actions": ["pick"], "objects": ["ball"], "otherwise": "high"}, "otherwise"),
    ],
)
def test_what_cannot_be_used_is_named(parameters: dict[str, object], where: str) -> None:
    with pytest.raises(BadInput, match=where):
        DuringAction().contribute(parameters, 0)
