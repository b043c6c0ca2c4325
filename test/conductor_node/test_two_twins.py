"""Two twins in two namespaces run side by side without touching each other."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.ros_domains import new_domain
from support.ros_runs import finish, run, running, toy
from support.watcher import watching

from hetwin.msg import SceneState


def test_two_twins_in_two_namespaces_are_as_each_alone(tmp_path: Path) -> None:
    domain = new_domain()
    scenarios = {}
    for name, until in (("left", 1.0), ("right", 1.5)):
        (tmp_path / name).mkdir()
        scenarios[name] = toy(tmp_path / name, until=until, pace=0.002)
    alone = {n: run(s, tmp_path / n / "alone", transport="local") for n, s in scenarios.items()}
    with (
        running(
            scenarios["left"], tmp_path / "left/run", "--namespace", "left", domain=domain
        ) as left,
        running(
            scenarios["right"], tmp_path / "right/run", "--namespace", "right", domain=domain
        ) as right,
        watching(domain) as watcher,
    ):
        states = {n: watcher.listen(SceneState, f"/{n}/hetwin/state") for n in scenarios}
        bare = watcher.listen(SceneState, "/hetwin/state")
        watcher.wait(lambda: all(states.values()))  # both at once
        names = watcher.node_names()
        processes: dict[str, subprocess.Popen[str]] = {"left": left[0], "right": right[0]}
        ended = {name: finish(process) for name, process in processes.items()}
    assert {"/left/conductor", "/right/conductor", "/left/cup", "/right/cup"} <= names
    assert not bare
    for name, one in ended.items():
        assert one.code == 0, one.err
        assert one.json["digest"] == alone[name].json["digest"]
