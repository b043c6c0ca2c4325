"""Two runs on one machine never meet: the second is refused, or each goes to its end as if alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import warm_starts
from support.nodes_by_hand import CONDUCTOR, MODEL, started, words
from support.ros_domains import new_domain
from support.ros_runs import (
    IN_PROCESS,
    ONLY_CUP_APART,
    command,
    environment,
    finish,
    run,
    running,
    toy,
)
from support.waiting import is_under_way, wait_until
from support.watcher import Watcher, watching

from hetwin.action import Simulate
from hetwin.msg import RunIdentity
from hetwin.srv import RegisterModel, StopSimulation

REFUSED = ("another run, r", "has the namespace '/' of ROS domain", "--namespace NAME")


def may_unshare() -> bool:
    """Whether this machine lets a process have a PID namespace of its own, as a container has."""
    if shutil.which("unshare") is None:
        return False
    return not subprocess.run(["unshare", *IN_A_CONTAINER, "true"], capture_output=True).returncode


IN_A_CONTAINER = ("--pid", "--fork", "--mount-proc", "--kill-child")
container = pytest.mark.skipif(
    not may_unshare(), reason="a PID namespace needs unshare (util-linux) and root"
)


def test_of_two_that_start_at_once_one_runs_and_one_is_told_why_not(tmp_path: Path) -> None:
    domain = new_domain()
    scenario = toy(tmp_path, until=0.5)
    alone = run(scenario, tmp_path / "alone", transport="local").json
    with (
        running(scenario, tmp_path / "a", *ONLY_CUP_APART, domain=domain) as (one, _),
        running(scenario, tmp_path / "b", *ONLY_CUP_APART, domain=domain) as (other, _),
    ):
        ended = sorted((finish(one), finish(other)), key=lambda each: each.code)
    assert [each.code for each in ended] == [0, 2]
    assert ended[0].json["digest"] == alone["digest"]
    for part in (*REFUSED, "Nothing was started"):
        assert part in ended[1].err + ended[1].out
    assert sorted(path.name for path in tmp_path.iterdir() if path.name in "ab") in (["a"], ["b"])


def test_a_second_into_the_same_folder_is_refused(tmp_path: Path) -> None:
    scenario = toy(tmp_path, until=600.0, pace=0.01)
    out = tmp_path / "run"
    with running(scenario, out, transport="local") as (first, _):
        wait_until((out / "log").exists, "its log", process=first)
        second = run(scenario, out, *IN_PROCESS)
        (out / "log").rename(out / "moved")  # nothing on the disk says any more that a run goes on
        third = run(scenario, out, transport="local")
        (out / "moved").rename(out / "log")
    assert (second.code, third.code) == (2, 2)
    assert "another run is written to this folder, by process" in second.err + second.out
    assert "another run is written to this folder, by process" in third.err + third.out


@container
def test_a_container_that_shares_the_hosts_network_is_refused(tmp_path: Path) -> None:
    domain = new_domain()
    scenario = toy(tmp_path, until=600.0, pace=0.01)
    with running(scenario, tmp_path / "run", *IN_PROCESS, domain=domain) as (first, _):
        wait_until((tmp_path / "run" / "log").exists, "its log", process=first)
        inside = ["unshare", *IN_A_CONTAINER, *command("run", scenario, "--transport", "ros")]
        done = subprocess.run(
            [*inside, "--out", tmp_path / "inside"],
            env=environment(domain),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert first.poll() is None
    assert done.returncode == 2, done.stderr
    assert "(a process outside this container of " in done.stderr
    for part in REFUSED:
        assert part in done.stderr


@container
def test_a_models_node_in_a_container_belongs_to_the_run_of_its_token(tmp_path: Path) -> None:
    domain = new_domain()
    scenario = toy(tmp_path, until=0.5)
    alone = run(scenario, tmp_path / "alone", transport="local").json
    cup = words(MODEL, "-r", "__node:=cup", type="support.toys:ToyCup")
    options = ("--elsewhere", "cup", *ONLY_CUP_APART)
    with (
        started(["unshare", *IN_A_CONTAINER, *cup], domain) as inside,
        running(scenario, tmp_path / "run", *options, domain=domain) as (process, _),
    ):
        ended = finish(process)
        assert inside.wait(30) == 0
    assert ended.code == 0, ended.err
    assert ended.json["digest"] == alone["digest"]


def test_a_node_for_another_run_is_not_taken_by_this_one(tmp_path: Path) -> None:
    domain = new_domain()
    scenario = toy(tmp_path, until=0.3)
    cup = words(MODEL, "-r", "__node:=cup", type="support.toys:ToyCup", run="r_other")
    with (
        started(cup, domain) as stray,
        watching(domain, stray) as watcher,
    ):
        watcher.wait_for_nodes("/cup")
        ended = run_in(domain, scenario, tmp_path / "run")
        assert ended.code == 0, ended.err
        assert stray.poll() is None


def run_in(domain: int, scenario: Path, out: Path):  # type: ignore[no-untyped-def]
    with running(scenario, out, *ONLY_CUP_APART, domain=domain) as (process, _):
        return finish(process)


# ---------------------------------------------------------------------- a conductor by hand


Serving = tuple[subprocess.Popen[str], Watcher, str]
"""A conductor that serves a goal, one who watches it, and the token of its run."""


@contextmanager
def serving(folder: Path) -> Iterator[Serving]:
    """A conductor in a domain of its own."""
    domain = new_domain()
    scenario = toy(folder, until=600.0, pace=0.01)
    node = words(CONDUCTOR, scenario=scenario, in_process="all", runs=1, out=folder / "runs")
    with (
        started(node, domain) as process,
        watching(domain, process) as watcher,
    ):
        heard = watcher.listen(RunIdentity, "/hetwin/run", latched=True)
        watcher.wait(lambda: heard, "who is there")
        assert (heard[0].pid, heard[0].looks) == (process.pid, False)
        yield process, watcher, heard[0].run


@pytest.fixture
def conductor(tmp_path: Path) -> Iterator[Serving]:
    """One of the test's own."""
    with serving(tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One for the tests that send it no goal."""
    with serving(tmp_path_factory.mktemp("lasting")) as found:
        yield found


def test_a_foreign_registration_is_refused_in_words(lasting: Serving) -> None:
    process, watcher, run = lasting
    request = RegisterModel.Request(name="cup", node="/cup", host="h", pid=1, run="r_other")
    refusal = watcher.call(RegisterModel, "/hetwin/register_model", request)
    assert (refusal.accepted, refusal.run) == (False, run)
    assert "is for run r_other; the conductor of '/' " in refusal.reason
    assert refusal.reason.endswith(f"(process {process.pid}) belongs to run {run}")
    for token in ("", run):
        request.run = token
        assert watcher.call(RegisterModel, "/hetwin/register_model", request).accepted


def test_a_foreign_goal_and_a_foreign_stop_change_nothing(
    conductor: Serving,
) -> None:
    process, watcher, run = conductor
    assert not watcher.goal_is_accepted(Simulate, "/hetwin/simulate", Simulate.Goal(run="r_other"))
    assert watcher.goal_is_accepted(Simulate, "/hetwin/simulate", Simulate.Goal(run=run))
    stop = StopSimulation.Request(run="r_other")
    refusal = watcher.call(StopSimulation, "/hetwin/stop_simulation", stop)
    assert not refusal.accepted
    assert "is for run r_other" in refusal.reason
    assert refusal.reason.endswith(f"belongs to run {run}")
    assert process.poll() is None
    assert watcher.call(
        StopSimulation, "/hetwin/stop_simulation", StopSimulation.Request()
    ).accepted
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert f"the goal is for run r_other; the conductor of '/' (process {process.pid})" in err


def test_a_conductor_whose_clients_goal_failed_says_so_by_its_code(
    conductor: Serving,
) -> None:
    process, watcher, _ = conductor
    goal = Simulate.Goal(scenario="/there/is/no/such/scenario.yaml")
    assert watcher.goal_is_accepted(Simulate, "/hetwin/simulate", goal)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2, err


def test_a_second_conductor_by_hand_is_refused(lasting: Serving, tmp_path: Path) -> None:
    process, watcher, run = lasting
    domain = watcher.node.context.get_domain_id()
    done = warm_starts.run(
        words(
            CONDUCTOR,
            scenario=toy(tmp_path),
            in_process="all",
            start_at_once="true",
            out=tmp_path / "runs",
        ),
        env=environment(domain),
    )
    assert done.returncode == 2
    assert f"another run, {run} (process {process.pid} of " in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("runs/*"))


def test_the_name_is_free_as_soon_as_the_run_was_killed(tmp_path: Path) -> None:
    domain = new_domain()
    scenario = toy(tmp_path, until=600.0, pace=0.01)
    with running(scenario, tmp_path / "one", *IN_PROCESS, domain=domain) as (process, _):
        wait_until(lambda: is_under_way(tmp_path / "one"), "steps", process=process)
        process.kill()
        process.wait()
        end = time.monotonic() + 20.0
        while True:  # its conductor ends the run in order, and keeps the name until then
            done = run_in(domain, toy(tmp_path, until=0.2), tmp_path / "two")
            if done.code == 0 or time.monotonic() > end:
                break
            assert done.code == 2, done.err
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "one" / "summary.json").read_text())["ended"] == "stopped"
