"""A run saved at a barrier, and gone on with by other instances of its models."""

import pytest
from support.small_ensemble import HEADER, Recorder, conduct, run, scenario

from hetwin_core.ensemble.conductor.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.errors import BadInput, Refused

TOLD = HEADER.replace("until: 0.2", "until: 0.2, actions: [{at: 0.05, name: reach}]")

LASTING = """
scenario: small
rate: 100
models:
  physics:
    type: "support.toys:ToyPhysics"
    main: true
    parameters: {until: 0.3, actions: [{at: 0.05, name: reach, phase: begin}, {at: 0.28, name: reach, phase: end}]}
triggers:
  - name: watched
    on: {action: reach}
    while: phase
    let: {apart: "distance('hand', 'ball')"}
    if: "apart > 0.3"
    do: [{raise: {event: far, arguments: {apart: $apart}}}]
"""
"""The ball has fallen so far from the hand at 0.2 s."""


def saved_at(text: str, time_s: float) -> tuple[Checkpoint, RunSummary]:
    """A checkpoint of a run, and how that run went on."""
    conductor, _, _ = conduct(text)
    found: list[Checkpoint] = []

    def take(now):
        if now.time_ns == round(time_s * 1e9):
            found.append(now.checkpoint())

    conductor.at_barriers(take)
    summary = conductor.run()
    return found[0], summary


def gone_on(text: str, checkpoint: Checkpoint) -> tuple[RunSummary, Recorder]:
    """How a run of other instances goes on from a checkpoint."""
    conductor, _, record = conduct(text)
    conductor.continue_from(checkpoint)
    return conductor.run(), record


@pytest.mark.parametrize("time_s", [0.0, 0.04, 0.05, 0.1, 0.19])
def test_ends_in_the_same_digest(time_s):
    checkpoint, first = saved_at(TOLD, time_s)
    again, _ = gone_on(TOLD, checkpoint)
    assert again.digest == first.digest == run(TOLD).summary.digest
    assert again.deterministic


@pytest.mark.parametrize("time_s", [0.1, 0.19, 0.2, 0.25])
def test_operation_that_lasts_goes_on(time_s):
    checkpoint, first = saved_at(LASTING, time_s)
    again, _ = gone_on(LASTING, checkpoint)
    assert [event["name"] for event in first.events] == ["reach", "far", "reach"]
    assert again.events == first.events
    assert again.digest == first.digest


def test_summary_is_that_of_the_whole_run():
    checkpoint, first = saved_at(TOLD, 0.1)
    again, _ = gone_on(TOLD, checkpoint)
    assert [event["name"] for event in again.events] == ["reach"]
    assert again.simulated_time == first.simulated_time
    assert again.state == first.state


def test_listeners_begin_at_the_checkpoint():
    checkpoint, _ = saved_at(TOLD, 0.1)
    _, record = gone_on(TOLD, checkpoint)
    assert record.starts[0].snapshot.time_ns == 100_000_000
    assert next(scene.time_ns for scene in record.scenes) == 110_000_000
    assert record.events == []


def test_may_end_elsewhere():
    checkpoint, _ = saved_at(TOLD, 0.1)
    changed = checkpoint.with_options(duration=0.15)
    conductor, _, _ = conduct(TOLD, duration=changed.options.duration)
    conductor.continue_from(changed)
    assert conductor.run().simulated_time == 0.15


@pytest.mark.parametrize(
    ("step", "words"), [("clock", "on the clock"), ("free", "at its own pace")]
)
def test_model_that_is_not_waited_for_is_named(step, words):
    text = TOLD + f'  watch: {{type: "support.small_ensemble:Watcher", step: {step}, rate: 10}}\n'
    conductor, _, _ = conduct(text)
    refused = []

    def take(now):
        with pytest.raises(Refused, match=f"watch steps {words}; only models"):
            now.checkpoint()
        refused.append(True)
        conductor.stop()

    conductor.at_barriers(take)
    conductor.run()
    assert refused


def test_model_beside_the_main_one_is_saved_with_its_output():
    text = TOLD + '  watch: {type: "support.small_ensemble:Watcher", coupling: beside, rate: 20}\n'
    for time_s in (0.05, 0.07):
        checkpoint, first = saved_at(text, time_s)
        again, _ = gone_on(text, checkpoint)
        assert again.digest == first.digest


@pytest.mark.parametrize("coupling", ["after", "beside"])
def test_model_in_a_process_of_its_own_goes_on_in_another(coupling):
    text = TOLD + f'  grasp: {{type: "support.toys:ToyGrasp", coupling: {coupling}, rate: 20,'
    text += " parameters: {asks_at: 0.02}, process: own}\n"
    read = scenario(text)
    saved: list[Checkpoint] = []

    def save(now):
        if now.time_ns == 120_000_000:
            saved.append(now.checkpoint())

    def conductor():
        return session(read, own_processes=True)

    first = conductor()
    first.at_barriers(save)
    summary = first.run()
    assert [(h["to"], h["time"]) for h in summary.handovers] == [("grasp", 0.05)]
    assert summary.error is None
    again = conductor()
    again.continue_from(saved[0])
    assert again.run().digest == summary.digest
    in_one_process, _ = gone_on(text, saved[0])
    assert in_one_process.digest == summary.digest


def test_checkpoint_of_another_scenario_is_bad_input():
    checkpoint, _ = saved_at(TOLD, 0.1)
    other = TOLD.replace("at: 0.05", "at: 0.06")
    conductor, _, _ = conduct(other)
    with pytest.raises(BadInput, match=r"scenario\.models\.physics\.parameters.*has changed since"):
        conductor.continue_from(checkpoint)


@pytest.mark.parametrize("key", ["version", "engine"])
def test_checkpoint_of_another_version_is_bad_input(key):
    checkpoint, _ = saved_at(TOLD, 0.1)
    checkpoint = Checkpoint(
        checkpoint.scenario,
        checkpoint.options,
        {**checkpoint.given, key: "other"},
        checkpoint.step,
        checkpoint.time_ns,
        checkpoint.conductor,
        checkpoint.models,
    )
    conductor, _, _ = conduct(TOLD)
    with pytest.raises(BadInput, match=f"^{key}: the checkpoint belongs to another run"):
        conductor.continue_from(checkpoint)
