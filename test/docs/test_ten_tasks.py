"""Ten tasks of CONTRIBUTING.md: each is done in the files that are named there, in a copy of the packages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("hetwin_core", "hetwin_suite", "model_nodes", "conductor_node")
TASK = re.compile(r"^\| ([^|`]+) \| (`[^|]+) \|$", re.MULTILINE)
MOST_FILES = 3

Edits = Mapping[str, tuple[tuple[str, str], ...]]
"""File -> texts that are in it once, and what comes in their place; the empty text is all of a new file."""

TASKS: Mapping[str, Edits] = {
    "a function of expressions": {
        "hetwin_core/ensemble/expressions/evaluators.py": (
            (
                "def frame_of(",
                (
                    "def depth(scene: Snapshot, entity: str) -> float:\n"
                    '    """depth(entity): how far below the world\'s origin it is, in metres."""\n'
                    "    return -height(scene, entity)\n\n\ndef frame_of("
                ),
            ),
            ("        attribute,\n", "        attribute,\n        depth,\n"),
        )
    },
    "an event of a model, in the log and in words": {
        "model_nodes/rigid_grasp.py": (
            (
                "            changes.set(entity, POSE, pose, self._hand)\n",
                (
                    "            changes.set(entity, POSE, pose, self._hand)\n"
                    "            if entity not in self._told:\n"
                    "                self._told.add(entity)\n"
                    '                changes.event("fixed", object=entity, hand=self._hand)\n'
                ),
            ),
            (
                "        self._held.clear()\n",
                "        self._held.clear()\n        self._told: set[str] = set()\n",
            ),
        ),
        "hetwin_core/ensemble/sentences/event.yaml": (
            (
                "picked_up:\n",
                (
                    'fixed:\n  says: "{object} is fixed to {hand}"\n  means: It moves with the hand.\n'
                    "  not: That the fingers hold it.\n  with: {object: box, hand: gripper}\npicked_up:\n"
                ),
            ),
        ),
    },
    "an attribute of the scene, which the log has and questions name": {
        "model_nodes/rigid_grasp.py": (
            (
                "class Settings(",
                'BUSY = AttributeSpec("busy", 1, "", Meaning.TRUTH)\n\n\nclass Settings(',
            ),
            ("values import POSE,", "values import POSE, AttributeSpec, Meaning,"),
            ("    provides = (POSE,)\n", "    provides = (POSE, BUSY)\n"),
            (
                "        scene.needs(",
                "        scene.set(self._hand, BUSY, 0.0)\n        scene.needs(",
            ),
            (
                "        if not self._held:\n            return None\n        changes = tick.changes()\n",
                "        changes = tick.changes().set(self._hand, BUSY, float(bool(self._held)))\n",
            ),
        )
    },
    "a column of a table of the report": {
        "hetwin_suite/view/report/sections.py": (
            ("            model.type,\n", "            model.type,\n            model.coupling,\n"),
            ('"model", "type", "stepped by"', '"model", "type", "coupled", "stepped by"'),
            ("    return Table(headings, rows, 3)\n", "    return Table(headings, rows, 4)\n"),
        )
    },
    "a plot of the report": {
        "hetwin_suite/view/report/plots.py": (
            (
                "    yield from attribute_plots(episode)\n",
                "    yield from attribute_plots(episode)\n    yield _step_plot(episode)\n",
            ),
            (
                "def _object_plot(",
                (
                    "def _step_plot(episode: Episode) -> Plot:\n"
                    '    steps = {"from one state to the next": np.gradient(episode.times / 1e9)}\n'
                    "    panel = Panel(\n"
                    '        list(lines_over(episode, steps, SERIES, unit="s", decimals=4)), Axis("s")\n    )\n'
                    '    return Plot("How often states were logged", "", Chart([panel], time_span(episode)))\n\n\n'
                    "def _object_plot("
                ),
            ),
        )
    },
    "a line of what hetwin run prints": {
        "hetwin_suite/cli/outcome.py": (
            (
                '    yield f"  log: ',
                '    yield f"  handovers: {len(summary[\'handovers\'])}"\n    yield f"  log: ',
            ),
        )
    },
    "a command of hetwin": {
        "hetwin_suite/cli/commands.py": (
            (
                '    "new": BuiltIn("make',
                '    "where": BuiltIn("print where hetwin is installed", "where:where"),\n    "new": BuiltIn("make',
            ),
        ),
        "hetwin_suite/cli/where.py": (
            (
                "",
                (
                    '"""`hetwin where`."""\n\nfrom pathlib import Path\n\n'
                    "from hetwin_suite._commands.result import Result\n\n\n"
                    'def where() -> Result:\n    """Print where hetwin is installed."""\n'
                    "    folder = str(Path(__file__).parents[1])\n"
                    '    return Result({"folder": folder}, [folder])\n'
                ),
            ),
        ),
    },
    "a kind of flaw": {
        "hetwin_core/episodes/flaws/rules/outcomes.yaml": (
            (
                "- kind: goal_undone\n",
                (
                    "- kind: carried\n  about: a hand holds an object at all\n"
                    "  each: {hold: \"occasions_of('held')\"}\n"
                    '  from: hold.from\n  to: hold.to\n  entities: "[hold.a]"\n  evidence: "[hold]"\n'
                    '  text: "{hold.a} was carried."\n\n- kind: goal_undone\n'
                ),
            ),
        ),
    },
    "a message type that says what a gripper feels": {
        "model_nodes/main_physics/sources/reports/by_type.py": (
            (
                '    "GripperState": ',
                '    "SuctionState": lambda topic: StatusReader(topic, suction_claims),\n    "GripperState": ',
            ),
            (
                "class ForceReader:\n",
                (
                    "def suction_claims(message: Any) -> Said:\n"
                    '    """Whether a suction cup has something, and how well."""\n'
                    '    return {"grasped": bool(message.sealed), "vacuum": float(message.vacuum)}\n\n\n'
                    "class ForceReader:\n"
                ),
            ),
        )
    },
    "a way to drive a joint": {
        "hetwin_core/ensemble/scenario/robot.py": (
            ('    LIMITED = "limited"\n', '    BRAKE = "brake"\n    LIMITED = "limited"\n'),
            (
                "            DriveMode.LIMITED: {",
                '            DriveMode.BRAKE: {"damping", "effort"},\n            DriveMode.LIMITED: {',
            ),
        ),
        "model_nodes/main_physics/driving.py": (
            (
                "        case DriveMode.LIMITED:\n",
                (
                    "        case DriveMode.BRAKE:\n"
                    "            return JointDrive(group.mode, damping=group.damping, effort=effort)\n"
                    "        case DriveMode.LIMITED:\n"
                ),
            ),
        ),
        "model_nodes/main_physics/engines/mujoco/motors.py": (
            (
                "np.flatnonzero([mode is DriveMode.VELOCITY for mode in modes])",
                (
                    "np.flatnonzero(\n"
                    "            [mode in (DriveMode.VELOCITY, DriveMode.BRAKE) for mode in modes]\n        )"
                ),
            ),
            (
                "        self._wanted[:] = velocities[self._joints]\n",
                (
                    "        turned = [self._tables.drives[i].mode is not DriveMode.BRAKE for i in self._joints]\n"
                    "        self._wanted[:] = velocities[self._joints] * np.array(turned)\n"
                ),
            ),
        ),
    },
}
"""Task -> what is done for it, file by file."""

LOOK = """
import json, sys
from pathlib import Path
from types import SimpleNamespace
import hetwin_suite
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.words import event_line
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.flaws.find import flaws_of
from hetwin_suite.cli.commands import BUILT_IN
from hetwin_suite.cli.outcome import lines
from hetwin_suite.cli.where import where
from hetwin_suite.running.request import FinishedRun
from hetwin_suite.view.report import report_page
from model_nodes.main_physics.sources.reports.by_type import reader_of

run = Path(sys.argv[2])
result = hetwin_suite.run(sys.argv[1], out=run)
episode = Episode.open(run)
page = report_page(run)
sealed = SimpleNamespace(sealed=True, vacuum=0.6)
joints = episode.attribute("tabletop_arm", "joint_positions")
hand_roll = episode.layout.entity("tabletop_arm").joints.index("hand_roll_joint")
print(json.dumps({
    "a function of expressions": "depth" in all_evaluators(),
    "an event of a model, in the log and in words":
        "box is fixed to gripper" in [event_line(e) for e in episode.events],
    "an attribute of the scene, which the log has and questions name":
        [episode.ask('holds(busy("gripper"), at(5.0))').value, episode.ask('holds(busy("gripper"), at(0.5))').value]
        == [True, False],
    "a column of a table of the report": "<th>coupled</th>" in page,
    "a plot of the report": "How often states were logged" in page,
    "a line of what hetwin run prints":
        f"handovers: {len(episode.handovers)}"
        in [line.strip() for line in lines(FinishedRun(episode.summary, 0, run))],
    "a command of hetwin": BUILT_IN["where"].home == "where:where"
        and str(Path(list(where().lines)[0]).parent) in sys.path,
    "a kind of flaw": [f.text for f in flaws_of(run)] == ["box was carried."],
    "a message type that says what a gripper feels":
        [e.arguments["vacuum"] for e in reader_of("my_msgs/msg/SuctionState")("/cup")(sealed, 0)] == [0.6],
    "a way to drive a joint": float(abs(joints[:, hand_roll] - joints[0, hand_roll]).max()) < 0.05,
}))
"""


def named() -> dict[str, list[str]]:
    """The tasks of the guide with their files."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("Ten tasks, ")[2].partition("\n## ")[0]
    return {task: re.findall(r"`([^`]+)`", files) for task, files in TASK.findall(section)}


def done_in(copy: Path, edits: Edits) -> None:
    """Do a task in a copy of the packages."""
    for name, changes in edits.items():
        file = copy / name
        text = file.read_text(encoding="utf-8") if changes[0][0] else ""
        for before, after in changes:
            assert not before or text.count(before) == 1, f"{name}: {before!r}"
            text = text.replace(before, after) if before else after
        file.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bool]:
    """What a process says that runs a scenario with the packages in which all tasks are done."""
    copy = tmp_path_factory.mktemp("copy")
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    for name in ("worlds", "urdf", "scenarios", "msg", "srv", "action"):
        (copy / name).symlink_to(ROOT / name)
    for edits in TASKS.values():
        done_in(copy, edits)
    scenario = (ROOT / "scenarios/pick_and_place.yaml").read_text(encoding="utf-8")
    driven = """\
robot: {urdf: urdf/tabletop_arm.urdf, drives: {roll: {joints: [hand_roll_joint], mode: brake, damping: 5.0}}}
"""
    file = copy / "tried.yaml"
    file.write_text(scenario.replace("robot: urdf/tabletop_arm.urdf\n", driven), encoding="utf-8")
    command = [sys.executable, "-c", LOOK, str(file), str(copy / "run")]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said: Mapping[str, bool] = json.loads(done.stdout.splitlines()[-1])
    return said


def test_the_guide_names_the_files_of_each_task() -> None:
    there = {t: [f for f in edits if (ROOT / f).exists()] for t, edits in TASKS.items()}
    assert named() == there
    assert all(len(edits) <= MOST_FILES for edits in TASKS.values())


@pytest.mark.parametrize("task", TASKS)
def test_it_is_done_in_these_files(shown: Mapping[str, bool], task: str) -> None:
    assert shown[task]
