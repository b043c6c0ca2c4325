"""A model in a process of its own: the same run as in one process, and what becomes of it when the model fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.small_ensemble import TAKEN_AND_GIVEN_BACK, Misbehaving, Outcome, Recorder, scenario

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.model import Changes, Tick
from hetwin_core.ensemble.transport.local import local_ports

ROOT = Path(__file__).resolve().parents[5]
DEADLINE_S = 0.4
HOLDS = (
    """
scenario: small
rate: 100
models:
  physics:
    type: "support.toys:ToyPhysics"
    main: true
    parameters: {until: 0.4, actions: [{name: move_hand, at: 0.1, phase: begin}]}
  grasp: {type: "support.toys:ToyGrasp", coupling: COUPLING, process: PROCESS}
  cup: {type: "support.toys:ToyCup", coupling: beside, every: 3, process: PROCESS}
"""
    + TAKEN_AND_GIVEN_BACK
)
FAILS = f"""
scenario: small
rate: 100
models:
  physics: {{type: "support.toys:ToyPhysics", main: true, parameters: {{until: 0.2}}}}
  bad:
    type: "support.small_ensemble:Misbehaving"
    process: own
    deadline: {DEADLINE_S}
    on_failure: POLICY
"""


def run(text: str, *, one_process: bool = False) -> Outcome:
    """Run a scenario with the processes that it asks for."""
    read, record = scenario(text), Recorder()
    summary = session(read, listeners=[record], own_processes=not one_process).run()
    return Outcome(summary, record)


def pids(outcome: Outcome) -> dict[str, int]:
    """Name of a model -> its process."""
    return {model.name: model.pid for model in outcome.record.starts[0].models}


def is_running(pid: int) -> bool:
    """Whether there is such a process, other than one that has ended and waits for its parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextmanager
def deeds(**given: Callable[..., Any]) -> Iterator[None]:
    """What the misbehaving model does."""
    Misbehaving.deeds = given
    try:
        yield
    finally:
        Misbehaving.deeds = {}


def fail(policy: str = "stop", **given: Callable[..., Any]) -> Outcome:
    """Run the misbehaving model in a process of its own."""
    with deeds(**given):
        return run(FAILS.replace("POLICY", policy))


def hang() -> None:
    time.sleep(60.0)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("coupling", ["after", "beside"])
def test_the_digest_is_that_of_one_process(coupling: str) -> None:
    text = HOLDS.replace("COUPLING", coupling)
    own, shared = (run(text.replace("PROCESS", kind)) for kind in ("own", "shared"))
    assert own.summary.error is None
    assert len(own.moves()) == 2
    assert own.names() == shared.names()
    assert own.summary.digest == shared.summary.digest


def test_each_has_a_process_that_ends_with_the_run() -> None:
    found = pids(run(HOLDS.replace("COUPLING", "beside").replace("PROCESS", "own")))
    assert found["physics"] == os.getpid()
    assert len(set(found.values())) == 3
    assert not is_running(found["grasp"])
    assert not is_running(found["cup"])


def test_all_are_kept_in_one_process_if_that_is_asked_for() -> None:
    text = HOLDS.replace("COUPLING", "beside").replace("PROCESS", "own")
    assert set(pids(run(text, one_process=True)).values()) == {os.getpid()}


def test_a_step_that_hangs_ends_with_its_deadline_and_is_found() -> None:
    begun = time.monotonic()
    outcome = fail(step=lambda tick: hang())
    assert time.monotonic() - begun < 10.0
    assert outcome.summary.error is not None
    reason = outcome.summary.error["reason"]
    assert str(reason).startswith(f"no answer within its deadline of {DEADLINE_S:g} s; it is in")
    assert "test_own_process.py" in str(reason)
    assert not is_running(pids(outcome)["bad"])


def test_a_process_that_dies_is_seen_at_once() -> None:
    outcome = fail(step=lambda tick: die())
    assert outcome.summary.error is not None
    assert outcome.summary.error["reason"] == "its process was killed by SIGKILL"
    assert outcome.summary.error["call"] == "step"


@pytest.mark.parametrize(("deed", "call"), [(hang, "initialize"), (die, "register")])
def test_it_fails_before_the_run_begins(deed: Callable[[], None], call: str) -> None:
    with pytest.raises(RunFailed, match=r"no answer within|was killed by SIGKILL") as failed:
        fail(**{call: deed})
    assert (failed.value.model, failed.value.call) == ("bad", call)


@pytest.mark.parametrize("policy", ["hand_back", "restart"])
def test_the_run_goes_on_after_a_crash(policy: str, tmp_path: Path) -> None:
    mark = tmp_path / "crashed"

    def once(tick: Tick) -> Changes:
        if not mark.exists():
            mark.touch()
            die()
        return Changes(tick.time_ns)

    outcome = fail(policy, step=once)
    assert outcome.summary.error is None
    assert outcome.summary.ended == "recording"
    assert len(outcome.summary.failures) == 1
    then = "handed back" if policy == "hand_back" else "restarted (1 of 3)"
    assert outcome.summary.failures[0]["then"] == then


def broken() -> None:
    raise ValueError("it broke")


def unusable() -> None:
    raise BadInput("it cannot be used", where="size", found=3, expected="2")


def test_what_a_model_raises_arrives() -> None:
    outcome = fail(step=lambda tick: broken())
    assert outcome.summary.error is not None
    reason = str(outcome.summary.error["reason"])
    assert reason.startswith(f"ValueError: it broke ({__file__}, line ")
    with pytest.raises(BadInput, match=r"size.*found 3.*expected 2"):
        fail(initialize=unusable)


def refuse() -> None:
    raise Refused("never")


def test_a_refusal_is_no_failure() -> None:
    port = local_ports(scenario(FAILS.replace("POLICY", "stop")))[1]
    with deeds(command=refuse):
        port.register()
    port.initialize({}, 0)
    with pytest.raises(Refused, match="never"):
        port.command("no", {})
    assert port.stop() is None


ORPHANS = """
import os, signal, sys, time
from support.small_ensemble import Misbehaving, scenario
from hetwin_core.ensemble.transport.local import local_ports
sys.path.append({folder!r})
from test_own_process import FAILS, hang
Misbehaving.deeds = {{"initialize": hang}}
port = local_ports(scenario(FAILS.replace("POLICY", "stop").replace("deadline: 0.4", "deadline: 60")))[1]
print(port.register()[1], flush=True)
port.initialize({{}}, 0)
"""


def test_it_ends_with_the_conductors_process_even_if_it_hangs() -> None:
    code = ORPHANS.format(folder=str(Path(__file__).parent))
    path = os.pathsep.join((str(ROOT), str(ROOT / "test")))
    conductor = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        assert conductor.stdout is not None
        model = int(conductor.stdout.readline())
        assert is_running(model)
    finally:
        conductor.kill()
        conductor.communicate()
    end = time.monotonic() + 10.0
    while is_running(model) and time.monotonic() < end:
        time.sleep(0.01)
    assert not is_running(model)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [("main: true", "expected shared"), ("step: clock", "expected shared, or step: service")],
)
def test_who_can_have_one(entry: str, expected: str) -> None:
    other = "" if "main" in entry else "a: {type: 'support.toys:ToyPhysics', main: true}\n  "
    text = f"scenario: s\nmodels:\n  {other}b: {{type: 'support.toys:ToyPhysics', {entry}, process: own}}\n"
    with pytest.raises(BadInput, match=expected) as refused:
        scenario(text)
    assert str(refused.value.where).endswith("models.b.process")
