"""The state after each step is published once, whether the main model works meanwhile or not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.small_ensemble import Recorder, scenario

from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.transport.local import LocalPort

TEXT = """
scenario: publishing
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1}}
  watcher: {type: "support.small_ensemble:Watcher"}
"""
RecordedAction = Callable[[Conductor], None]


class Elsewhere(LocalPort):
    """A main model that is at work between `begin_step` and `end_step`, as in another process."""

    begun = 0
    is_remote = True

    def begin_step(self, tick: Tick) -> None:
        self.begun += 1
        super().begin_step(tick)


class Acting(Recorder):
    """Does something with the conductor when a certain state is published."""

    def __init__(self, at: int, act: RecordedAction) -> None:
        super().__init__()
        self.conductor: Conductor | None = None
        self.main: LocalPort | None = None
        self.steps: list[int] = []
        self.begun: list[int] = []
        self._at, self._act = at, act

    def stepped(self, step: int, scene: Snapshot) -> None:
        super().stepped(step, scene)
        self.steps.append(step)
        if isinstance(self.main, Elsewhere):
            self.begun.append(self.main.begun)
        if step == self._at and self.conductor is not None:
            self._act(self.conductor)


def published(kind: type[LocalPort], act: RecordedAction, at: int = 5) -> Acting:
    """Run with the main model behind a port of this kind, and keep what was published."""
    read = scenario(TEXT)
    ports = [kind(read.models[0]), LocalPort(read.models[1])]
    record = Acting(at, act)
    conductor = session(
        read,
        listeners=[record],
        idle=lambda _: record.conductor.resume(),  # type: ignore[union-attr]
        ports=ports,
    )
    record.conductor, record.main = conductor, ports[0]
    conductor.prepare()
    conductor.run()
    assert [round(scene.time_ns / 1e7) for scene in record.scenes] == record.steps
    return record


def nothing(conductor: Conductor) -> None:
    """Let the run go on."""


def fail(conductor: Conductor) -> None:
    """Let the next barrier fail: these arguments cannot be written as JSON."""
    conductor.notify(Event("odd", 0, arguments={"of": object()}))  # type: ignore[dict-item]


@pytest.mark.parametrize("kind", [LocalPort, Elsewhere])
@pytest.mark.parametrize("act", [nothing, Conductor.pause])
def test_every_state_once_up_to_the_end(kind: type[LocalPort], act: RecordedAction) -> None:
    record = published(kind, act)
    assert record.steps == list(range(1, 11))
    assert record.summaries[0].ended == "recording"


@pytest.mark.parametrize(("kind", "last"), [(LocalPort, 5), (Elsewhere, 6)])
def test_the_last_state_of_a_stopped_run(kind: type[LocalPort], last: int) -> None:
    """A step that was begun when the run is stopped is completed and published."""
    record = published(kind, Conductor.stop)
    assert record.steps == list(range(1, last + 1))
    assert record.summaries[0].ended == "stopped"


@pytest.mark.parametrize("kind", [LocalPort, Elsewhere])
def test_the_last_complete_state_of_a_failed_run(kind: type[LocalPort]) -> None:
    record = published(kind, fail)
    assert record.steps == list(range(1, 6))
    assert record.summaries[0].ended == "failed"


def test_a_main_model_elsewhere_is_at_work_while_the_state_is_published() -> None:
    record = published(Elsewhere, nothing)
    assert record.begun == [*range(2, 11), 10]


@pytest.mark.parametrize("kind", [LocalPort, Elsewhere])
def test_events_of_a_step_come_before_its_state(kind: type[LocalPort]) -> None:
    def notify(conductor: Conductor) -> None:
        conductor.notify(Event("seen", 0))

    calls = published(kind, notify).calls
    assert calls[calls.index("event seen") + 1] == "stepped 6"
    assert calls[calls.index("event seen") - 1] == "stepped 5"
