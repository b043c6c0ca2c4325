"""Before the run: registering, parameters, initializing; what fails there stops all models."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_ensemble import HEADER, Misbehaving, Watcher, conduct

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.model import AttributeStart, Contribution
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Value, pose_value

GAUGE = """scenario: endless
models: {physics: {type: "support.small_ensemble:Gauge", main: true, parameters: {levels: [1]}}}
"""


def test_a_run_without_an_end_is_refused() -> None:
    conductor, *_ = conduct(GAUGE)
    with pytest.raises(BadInput, match=r"small.yaml: source: this run has no defined end"):
        conductor.prepare()


def test_a_duration_is_an_end() -> None:
    conductor, *_ = conduct(GAUGE, duration=0.01)
    assert conductor.prepare().duration_ns == 10_000_000
    assert conductor.run().ended == "recording"


def test_failing_preparation_stops_all_models(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise BadInput("no")

    monkeypatch.setattr(Misbehaving, "deeds", {"initialize": fails})
    text = (
        HEADER
        + '  a: {type: "support.small_ensemble:Watcher"}\n  b: {type: "support.small_ensemble:Misbehaving"}\n'
    )
    conductor, ports, _ = conduct(text)
    with pytest.raises(BadInput, match="no"):
        conductor.prepare()
    assert [port.model.stops for port in ports[1:]] == [1, 1]  # type: ignore[attr-defined]


def test_every_model_gets_a_seed_of_its_own() -> None:
    text = (
        HEADER
        + '  a: {type: "support.small_ensemble:Watcher"}\n  b: {type: "support.small_ensemble:Watcher"}\nseed: 40\n'
    )
    conductor, ports, _ = conduct(text)
    assert conductor.prepare().seed == 40
    assert [port.model.seed for port in ports[1:]] == [41, 42]  # type: ignore[attr-defined]
    conductor, ports, _ = conduct(text, seed=7)
    assert conductor.prepare().seed == 7
    assert ports[1].model.seed == 8  # type: ignore[attr-defined]


def test_the_registry_gives_unique_ids_in_the_scenarios_order() -> None:
    conductor, *_ = conduct(
        HEADER + '  a: {type: "support.small_ensemble:Watcher", rate: 50, coupling: beside}\n'
    )
    records = conductor.prepare().models
    assert [r.id for r in records] == ["1:physics", "2:a"]
    assert [(r.rate, r.coupling, r.main) for r in records] == [
        (100, "after", True),
        (50, "beside", False),
    ]
    conductor.run()


@pytest.mark.parametrize(
    ("contribution", "text"),
    [
        (Contribution((Entity("ball", EntityKind.OBJECT),)), "the entity 'ball' exists already"),
        (
            Contribution(attributes=(AttributeStart("ball", POSE, pose_value((0, 0, 0))),)),
            "ball.pose exists already",
        ),
        (
            Contribution(attributes=(AttributeStart("dog", POSE, pose_value((0, 0, 0))),)),
            "the entity 'dog' does not exist",
        ),
    ],
)
def test_contributions_that_clash_name_the_model(
    contribution: Contribution, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watcher, "contribute", lambda *_: contribution)
    conductor, *_ = conduct(HEADER + '  a: {type: "support.small_ensemble:Watcher"}\n')
    with pytest.raises(BadInput, match=f"models.a: a: {text}"):
        conductor.prepare()


@pytest.mark.parametrize("data", [np.zeros(2), np.array([np.nan])])
def test_a_start_value_must_be_finite_and_of_the_right_size(
    data: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    heat = AttributeStart("ball", AttributeSpec("heat"), Value(data, 0))
    monkeypatch.setattr(Watcher, "contribute", lambda *_: Contribution(attributes=(heat,)))
    conductor, *_ = conduct(HEADER + '  a: {type: "support.small_ensemble:Watcher"}\n')
    with pytest.raises(RunFailed, match=r"a: initialize failed .* ball\.heat must be 1 finite"):
        conductor.prepare()


def test_warnings_carry_the_models_name(monkeypatch: pytest.MonkeyPatch) -> None:
    warned = Contribution(warnings=("no fog",))
    monkeypatch.setattr(Watcher, "contribute", lambda *_: warned)
    conductor, _, record = conduct(HEADER + '  a: {type: "support.small_ensemble:Watcher"}\n')
    start = conductor.prepare()
    assert start.warnings == ("a: no fog",)
    conductor.stop()
    conductor.run()
    assert (0, "warning", "a", "no fog") in record.notes
