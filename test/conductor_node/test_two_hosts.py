"""Models on another host, shown with two network namespaces and a cable between them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.ros_domains import new_domain
from support.ros_runs import IN_PROCESS, ONLY_CUP_APART, command, environment, run, toy
from support.waiting import is_under_way, wait_until

DEADLINE_S = 4.0


def _missing() -> str:
    """Why this machine cannot play two hosts; empty if it can."""
    if not shutil.which("ip") or not shutil.which("unshare"):
        return "ip (iproute2) and unshare (util-linux) are not installed"
    probe = f"hetwin_probe_{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", probe], capture_output=True).returncode:
        return "network namespaces are not permitted (root is needed)"
    subprocess.run(["ip", "netns", "del", probe], check=True)
    return ""


pytestmark = pytest.mark.skipif(bool(reason := _missing()), reason=reason or "-")


@dataclass(frozen=True)
class Hosts:
    """Two hosts with a cable: names of the network namespaces."""

    here: str
    there: str
    cable: str

    def on(self, host: str, *words: str) -> list[str]:
        """A command on a host; it finds its own host name there."""
        script = 'hostname "$0" && exec "$@"'
        inside = ["unshare", "--uts", "sh", "-c", script, host.rpartition("_")[2], *words]
        return ["ip", "netns", "exec", host, *inside]

    def cut(self) -> None:
        """Pull the cable."""
        subprocess.run(
            ["ip", "netns", "exec", self.here, "ip", "link", "set", self.cable, "down"], check=True
        )


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    number = os.getpid() % 100_000
    hosts = Hosts(f"hw{number}_here", f"hw{number}_there", f"hw{number}a")
    ends = (
        (hosts.here, f"hw{number}a", "10.123.7.1/24"),
        (hosts.there, f"hw{number}b", "10.123.7.2/24"),
    )
    for host, _, _ in ends:
        subprocess.run(["ip", "netns", "add", host], check=True)
    try:
        made = ["ip", "link", "add", ends[0][1], "netns", hosts.here]
        made += ["type", "veth", "peer", "name", ends[1][1], "netns", hosts.there]
        subprocess.run(made, check=True)
        for host, cable, address in ends:
            for words in (
                ("addr", "add", address, "dev", cable),
                ("link", "set", "lo", "up"),
                ("link", "set", cable, "up", "multicast", "on"),
                ("route", "add", "224.0.0.0/4", "dev", cable),  # DDS discovery
            ):
                subprocess.run(["ip", "netns", "exec", host, "ip", *words], check=True)
        yield hosts
    finally:
        for host, _, _ in ends:
            subprocess.run(["ip", "netns", "del", host], check=True)


def spread(
    hosts: Hosts, scenario: Path, out: Path
) -> tuple[subprocess.Popen[str], subprocess.Popen[str]]:
    """The run here, and its cup over there."""
    env = {**environment(new_domain()), "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}
    cup = [sys.executable, "-m", "model_nodes.ros_node"]
    cup += ["--ros-args", "-r", "__node:=cup", "-p", "type:=support.toys:ToyCup"]
    options = ("--transport", "ros", "--elsewhere", "cup", *ONLY_CUP_APART)
    words = command("run", scenario, *options, "--out", out)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    there = subprocess.Popen(hosts.on(hosts.there, *cup), env=env, **pipes)  # type: ignore[call-overload]
    here = subprocess.Popen(
        hosts.on(hosts.here, *words, "--json", "--no-page"),
        env=env,
        **pipes,  # type: ignore[call-overload]
    )
    return here, there


def end(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        process.kill()
        process.wait()


def test_a_model_on_another_host_is_as_one_here(hosts: Hosts, tmp_path: Path) -> None:
    scenario = toy(tmp_path, until=0.5)
    alone = run(scenario, tmp_path / "alone", transport="local").json
    here, there = spread(hosts, scenario, tmp_path / "run")
    try:
        out, err = here.communicate(timeout=120)
        assert here.returncode == 0, err
        outcome = json.loads(out)
        assert there.wait(30) == 0
    finally:
        end(here, there)
    assert outcome["digest"] == alone["digest"]


def test_cutting_the_link_ends_the_run_and_names_model_and_host(
    hosts: Hosts, tmp_path: Path
) -> None:

    scenario = toy(tmp_path, until=120.0, pace=0.01, cup=f", deadline: {DEADLINE_S}")
    here, there = spread(hosts, scenario, tmp_path / "run")
    try:
        wait_until(lambda: is_under_way(tmp_path / "run"), "steps", process=here)
        hosts.cut()
        out, err = here.communicate(timeout=120)
    finally:
        end(here, there)
    assert here.returncode == 1, err
    error = json.loads(out)["error"]
    assert (error["model"], error["call"]) == ("cup", "step")
    assert "on host there" in error["reason"]
    assert f"deadline of {DEADLINE_S:g} s" in error["reason"]


@pytest.mark.long
def test_of_two_runs_that_start_on_two_hosts_one_runs_and_one_is_told_why_not(
    hosts: Hosts, tmp_path: Path
) -> None:
    env = {**environment(new_domain()), "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}
    scenario = toy(tmp_path, until=0.5)
    processes = {}
    for host in (hosts.here, hosts.there):
        words = command("run", scenario, "--transport", "ros", *IN_PROCESS, "--json", "--no-page")
        out = str(tmp_path / host)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        processes[host] = subprocess.Popen(  # type: ignore[call-overload]
            hosts.on(host, *words, "--out", out), env=env, **pipes
        )
    try:
        said = {host: process.communicate(timeout=120) for host, process in processes.items()}
    finally:
        end(*processes.values())
    codes = {host: process.returncode for host, process in processes.items()}
    assert sorted(codes.values()) == [0, 2], said
    ran, refused = sorted(codes, key=lambda host: codes[host])
    assert json.loads(said[ran][0])["ended"] == "recording"
    assert f"on host {ran.rpartition('_')[2]})" in "".join(said[refused])
    assert "--namespace NAME" in "".join(said[refused])
    assert not (tmp_path / refused).exists()
