"""A failing model ends the run with words, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from support import warm_starts
from support.ros_domains import new_domain
from support.ros_runs import (
    ONLY_CUP_APART,
    ONLY_PHYSICS_APART,
    Ended,
    environment,
    finish,
    is_alive,
    run,
    running,
    toy,
)
from support.watcher import watching

from hetwin.msg import Registry


def assert_nothing_left(ended: Ended) -> None:
    for row in ended.json["processes"]:
        assert not is_alive(row["pid"]), row


def test_an_exception_in_a_step_names_model_call_and_time(tmp_path: Path) -> None:
    scenario = toy(tmp_path)
    text = scenario.read_text().replace("      pace:", "      fail_at: 0.3\n      pace:")
    scenario.write_text(text)
    ended = run(scenario, tmp_path / "run", *ONLY_PHYSICS_APART)
    assert ended.code == 1
    error = ended.json["error"]
    assert (error["model"], error["call"], error["time"]) == ("physics", "step", 0.3)
    assert "the toy broke" in error["reason"]
    assert (tmp_path / "run" / "log" / "metadata.yaml").is_file()
    assert_nothing_left(ended)


def test_a_killed_model_ends_the_run_within_its_deadline(tmp_path: Path) -> None:
    scenario = toy(tmp_path, until=600.0, pace=0.01, cup=", deadline: 6.0")
    with (
        running(scenario, tmp_path / "run", *ONLY_CUP_APART) as (process, domain),
        watching(domain, process) as watcher,
    ):
        registries = watcher.listen(Registry, "/hetwin/registry", latched=True)
        watcher.wait(lambda: registries, "the registry")
        pid = next(m.pid for m in registries[0].models if m.name == "cup")
        os.kill(pid, signal.SIGKILL)
        ended = finish(process)
    assert ended.code == 1
    error = ended.json["error"]
    assert (error["model"], error["call"]) == ("cup", "step")
    assert "was killed by SIGKILL" in error["reason"]
    assert_nothing_left(ended)


def test_bad_input_of_a_model_ends_with_code_2_and_no_run_folder(tmp_path: Path) -> None:
    scenario = toy(tmp_path)
    scenario.write_text(scenario.read_text().replace("      pace:", "      speed: 3\n      pace:"))
    ended = run(scenario, tmp_path / "run", *ONLY_PHYSICS_APART)
    assert ended.code == 2
    assert "physics: parameter speed" in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "run").exists()


def test_a_model_node_without_a_conductor_or_type_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "model_nodes.ros_node",
            "--ros-args",
            "-p",
            "type:=nonsense",
        ],
        env=environment(new_domain()),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert "unknown model type" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_that_is_taken_is_refused_and_sigint_ends_the_run_in_order(tmp_path: Path) -> None:
    scenario = toy(tmp_path, until=600.0, pace=0.01)
    with (
        running(scenario, tmp_path / "run", *ONLY_CUP_APART) as (process, domain),
        watching(domain, process) as watcher,
    ):
        registries = watcher.listen(Registry, "/hetwin/registry", latched=True)
        watcher.wait(lambda: registries, "the registry")
        second = warm_starts.run(
            [
                *(sys.executable, "-m", "model_nodes.ros_node", "--ros-args"),
                *("-r", "__node:=cup", "-p", "type:=support.toys:ToyCup"),
            ],
            env=environment(domain),
        )
        process.send_signal(signal.SIGINT)
        ended = finish(process)
    assert second.returncode == 1
    assert "is taken by /cup" in second.stderr
    assert ended.code == 130
    assert ended.json["ended"] == "stopped"
    assert_nothing_left(ended)
