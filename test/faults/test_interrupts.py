"""SIGINT and SIGTERM at random moments of each kind of run: it ends as ``stopped``, in words, leaving nothing behind.

Each kind is interrupted INTERRUPTS times (default 20) with SIGINT and SIGTERM in turn, once hetwin's processes have
begun; INTERRUPT_SEED gives other moments. Kinds whose engine or `ros2 launch` is absent are skipped.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.ament_prefix import ament_prefix, why_no_launch
from support.falling_ball import falling_ball
from support.gazebo_servers import GAZEBO_IS_HERE
from support.interrupted_runs import Interrupt, hetwin_command, interrupted
from support.ros_domains import new_domain

INTERRUPTS = int(os.environ.get("INTERRUPTS", "20"))
SEED = int(os.environ.get("INTERRUPT_SEED", "1"))
ROOT = Path(__file__).resolve().parents[2]
RUN_S = 2.0
"""Interrupts during a run come up to this late."""
ENDLESS_S = "1000000.0"
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Kind:
    """A kind of run.

    Attributes:
        name: of the test.
        launch: whether `ros2 launch` starts it, else the command.
        arguments: that make it this kind.
        engine: mujoco or gz.
        start_s: how long it takes to start, roughly [s].
    """

    name: str
    launch: bool
    arguments: tuple[str, ...]
    engine: str
    start_s: float

    def why_not(self) -> str:
        """Why it cannot be run here; empty if it can."""
        if self.engine == "gz" and not GAZEBO_IS_HERE:
            return "Gazebo's Python bindings are not installed"
        return why_no_launch() if self.launch else ""

    def command(self, scenario: Path) -> list[str]:
        """The command that runs a scenario without end."""
        if self.launch:
            given = (f"scenario:={scenario}", f"duration:={ENDLESS_S}", *self.arguments)
            return ["ros2", "launch", "hetwin", "scenario.launch.py", *given]
        options = ("--duration", ENDLESS_S, "--no-page", *self.arguments)
        return hetwin_command("run", scenario, *options)

    def code(self, number: signal.Signals) -> int:
        """The exit code that is expected."""
        return 0 if self.launch else 128 + number


KINDS = tuple(
    Kind(f"{name}, {engine}", launch, arguments, engine, start_s)
    for engine in ("mujoco", "gz")
    for name, launch, arguments, start_s in (
        ("local", False, (), 3.0),
        ("ROS", False, ("--transport", "ros"), 6.0),
        ("ROS in one process", False, ("--transport", "ros", "--in-process", "all"), 6.0),
        ("launch in one process", True, ("in_process:=all",), 10.0),
        ("launch in many processes", True, (), 12.0),
    )
)


def environment(folder: Path, *, launch: bool) -> dict[str, str]:
    """Environment of a run in a domain of its own, which finds the toys."""
    paths = (str(ROOT), str(ROOT / "test"), os.environ.get("PYTHONPATH"))
    found = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "ROS_DOMAIN_ID": str(new_domain()),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_LOG_DIR": str(folder / "ros_log"),
    }
    if launch:
        found["AMENT_PREFIX_PATH"] = str(ament_prefix(folder))
    return found


def moments(kind: Kind, count: int) -> Iterator[Interrupt]:
    """Seeded random moments: half of them from the first line on, half during the run.

    Half of either are for the whole group, the others for the command alone.
    """
    drawn = random.Random(f"{SEED} {kind.name}")
    for index in range(count):
        in_run = index % 4 >= 2
        after_s = drawn.uniform(0.0, RUN_S if in_run else kind.start_s)
        yield Interrupt(SIGNALS[index % 2], after_s, in_run, to_group=bool(drawn.getrandbits(1)))


def interrupt_often(kind: Kind, folder: Path, count: int) -> None:
    """Interrupt that many runs of a kind, and report all that ended otherwise than they should."""
    wrong = []
    saved = 0
    env = environment(folder, launch=kind.launch)
    for index, interrupt in enumerate(moments(kind, count)):
        there = folder / f"run_{index}"
        there.mkdir()
        command = kind.command(falling_ball(there, kind.engine))
        code = kind.code(interrupt.number)
        outcome = interrupted(command, there, interrupt, env, code, is_launch=kind.launch)
        saved += bool(outcome.ended)
        if outcome.wrong:
            said = outcome.text[-2000:]
            wrong.append(f"{interrupt}: {', '.join(outcome.wrong)}\n{said}")
    print(f"{kind.name}: {count - len(wrong)} of {count} in order, {saved} with a log")
    assert not wrong, f"{len(wrong)} of {count}:\n" + "\n\n".join(wrong)


@pytest.mark.faults
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_interrupts_at_random_moments(kind: Kind, tmp_path: Path) -> None:
    if reason := kind.why_not():
        pytest.skip(reason)
    interrupt_often(kind, tmp_path, INTERRUPTS)


@pytest.mark.parametrize(
    ("kind", "count"), [(KINDS[0], 3), (KINDS[1], 1)], ids=["local", "ROS, only while it starts"]
)
def test_each_signal_interrupts(kind: Kind, count: int, tmp_path: Path) -> None:
    """Runs of nodes are interrupted in `test_failures` and `test_every_fault`."""
    interrupt_often(kind, tmp_path, count)
