"""Measures what a run costs beside the physics engine's own steps.

Processor time of the run against that in `mj_step1` and `mj_step2`, or in Gazebo's server without hetwin's callback.
Log and checks are on, as `hetwin run` has them; both are measured in one run, which begins with the first step. With
`--tree` each round runs another checkout too, in turn, with the same interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from machine import machine

HERE = Path(__file__).resolve().parents[1]
SEED = 1
EXAMPLES = """examples:
  python benchmarks/bare.py
  python benchmarks/bare.py --scenes pick_and_place,insertion --rounds 3 --tree ../before --json
  python benchmarks/bare.py --engine gz   # needs Gazebo
"""
_RECORDED = {"uncertain_environment": "drop", "insertion": "insertion"}
"""Scenario -> the kind of episode that it replays."""
SCENES = ("pick_and_place", *_RECORDED)
_SCRIPT = """
import json, sys, time
import os
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does
import mujoco
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.episodes.judged_run import RunJudge
from hetwin_suite.runs import RunLog, load_scenario, session
from pathlib import Path

inside = 0
def timed(step):
    def call(model, data):
        global inside
        begun = time.thread_time_ns()
        step(model, data)
        inside += time.thread_time_ns() - begun
    return call

def count_gazebo():
    from hetwin_gazebo.simulation import _StepCallback as Callback
    run, pre_update = Callback.run, Callback.pre_update
    def timed_run(*arguments):  # all threads, since Gazebo has some
        global inside
        begun = time.process_time_ns()
        try:
            return run(*arguments)
        finally:
            inside += time.process_time_ns() - begun
    def timed_callback(*arguments):
        global inside
        begun = time.thread_time_ns()
        pre_update(*arguments)
        inside -= time.thread_time_ns() - begun
    Callback.run, Callback.pre_update = timed_run, timed_callback

name, out, source, scene, engine = sys.argv[1:]
if engine == "gz":
    count_gazebo()
else:
    mujoco.mj_step1, mujoco.mj_step2 = timed(mujoco.mj_step1), timed(mujoco.mj_step2)
options = RunOptions(source=source or None, scene=json.loads(scene), engine=engine)
log = RunLog(Path(out))
run = session(name, options=options, listeners=[log, RunJudge(log)])
run.prepare()
inside, begun = 0, time.process_time_ns()
summary = run.run()
whole = time.process_time_ns() - begun
print(json.dumps({"whole": whole / 1e9, "inside": inside / 1e9, "simulated": summary.simulated_time,
    "digest": summary.digest}))
"""


def measured(tree: Path, name: str, source: str, scene: str, engine: str) -> dict[str, Any]:
    """Run a scenario with the packages of a checkout and an engine.

    Raises:
        RuntimeError: if it fails.
    """
    with tempfile.TemporaryDirectory(prefix="hetwin_benchmark_") as folder:
        command = [sys.executable, "-c", _SCRIPT, name, f"{folder}/run", source, scene, engine]
        packages = [tree, tree / "examples", *sorted(tree.glob("plugins/*/"))]
        paths = [*map(str, packages), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def recorded(kind: str, folder: Path) -> tuple[str, str]:
    """Record an episode; returns its recording, and its scene as JSON."""
    command = [sys.executable, "-m", "hetwin_suite.cli.command", "record", kind, "-n", "1"]
    command += ["--seed", str(SEED), "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    episode = folder / f"{kind}_0001"
    given = json.loads((episode / "scene.json").read_text(encoding="utf-8"))
    return str(episode / "recording"), json.dumps(given.get("scene", given))


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scenes", default=",".join(SCENES), help="default: %(default)s")
    parser.add_argument(
        "--engine", choices=("mujoco", "gz"), default="mujoco", help="default: %(default)s"
    )
    parser.add_argument("--rounds", type=int, default=7, help="default: %(default)s")
    parser.add_argument("--tree", type=Path, help="another checkout, measured in turn")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    on = machine()
    trees = [HERE, *([given.tree.resolve()] if given.tree else [])]
    rows = []
    with tempfile.TemporaryDirectory(prefix="hetwin_benchmark_") as folder:
        for scene in given.scenes.split(","):
            kind = _RECORDED.get(scene)
            source = recorded(kind, Path(folder, kind)) if kind else ("", "{}")
            for number in range(given.rounds):
                rows += [
                    {
                        "scene": scene,
                        "round": number,
                        "tree": tree.name,
                        **measured(tree, scene, *source, given.engine),
                    }
                    for tree in trees
                ]
    if given.json:
        print(json.dumps({"machine": on, "rows": rows}, indent=2))
        return 0
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before\n")
    print(
        "| scene | tree | times bare | beside its own steps | whole [s of processor time per simulated s] |"
    )
    print("|---|---|---|---|---|")
    for scene in given.scenes.split(","):
        for tree in trees:
            own = [row for row in rows if (row["scene"], row["tree"]) == (scene, tree.name)]
            factor = median(row["whole"] / row["inside"] for row in own)
            whole = median(row["whole"] / row["simulated"] for row in own)
            share = f"{1 - 1 / factor:.0%}"
            print(f"| {scene} | {tree.name} | {factor:.2f} | {share} | {whole:.4f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
