"""Two twins in two namespaces run side by side without touching each other."""

from __future__ import annotations

import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

from support.ros_domains import new_domain
from support.ros_runs import ONLY_CUP_APART, finish, run, running, toy
from support.watcher import watching

from hetwin.msg import SceneState


def test_two_twins_in_two_namespaces_are_as_each_alone(tmp_path: Path) -> None:
    domain = new_domain()
    seen = tmp_path / "seen"
    scenarios, alone = {}, {}
    for name, until in (("left", 1.0), ("right", 1.5)):
        folder = tmp_path / name
        folder.mkdir()
        alone[name] = run(toy(folder, until=until), folder / "alone", transport="local")
        scenarios[name] = toy(folder, until=until, slow_until=seen)

    def twin(name: str) -> AbstractContextManager[tuple[subprocess.Popen[str], int]]:
        options = ("--namespace", name, *ONLY_CUP_APART)
        return running(scenarios[name], tmp_path / name / "run", *options, domain=domain)

    with (
        twin("left") as left,
        twin("right") as right,
        watching(domain) as watcher,
    ):
        processes: dict[str, subprocess.Popen[str]] = {"left": left[0], "right": right[0]}
        states = {n: watcher.listen(SceneState, f"/{n}/hetwin/state") for n in scenarios}
        bare = watcher.listen(SceneState, "/hetwin/state")
        nodes = [f"/{n}/{node}" for n in scenarios for node in ("conductor", "cup")]
        watcher.wait_for_nodes(*nodes)
        for name, heard in states.items():
            watcher.wait(lambda heard=heard: heard, f"a state of {name}")  # type: ignore[misc]
        assert [name for name, process in processes.items() if process.poll() is not None] == []
        seen.touch()  # both are seen at once
        ended = {name: finish(process) for name, process in processes.items()}
    assert not bare
    for name, one in ended.items():
        assert one.code == 0, one.err
        assert one.json["digest"] == alone[name].json["digest"]
