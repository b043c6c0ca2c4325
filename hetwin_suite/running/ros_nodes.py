"""The processes of a run over ROS 2."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping

from conductor_node.processes import (
    CONDUCTOR_NODE,
    MODEL_NODE,
    end_processes,
    parameters_of,
    start_node,
)
from conductor_node.shared_memory import SharedMemory, fast_dds_variables
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.watched import ended_child, ending
from hetwin_core.wire.run_identity import Claim, domain_id, participants_here
from hetwin_suite.running.request import RunRequest

OTHER_PARTICIPANTS = 2
"""Participants of a run besides the models' nodes: the conductor and the command."""
MAX_ON_LOCALHOST = 32
"""Number of participants that rmw_fastrtps can discover if it is restricted to one machine."""


def restrict_discovery(processes: int) -> None:
    """Restrict ROS discovery to this machine, which is faster, unless the user has configured it.

    Discovery is not restricted if the domain would have more participants than `MAX_ON_LOCALHOST`: these can only be
    discovered by multicast, which is visible on the network.

    Args:
        processes: number of processes of the run.
    """
    chosen = {"ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY"} & os.environ.keys()
    if not chosen and processes + participants_here(domain_id()) <= MAX_ON_LOCALHOST:
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ.update(fast_dds_variables())


class Nodes:
    """The processes of the conductor's and the models' nodes.

    Args:
        scenario: scenario of the run.
        request: the run, and the hosts of its models.
        run: token of the run.
        claim: the run's claim on its namespace, whose files the conductor's process inherits.
    """

    def __init__(self, scenario: Scenario, request: RunRequest, run: str, claim: Claim) -> None:
        options = request.options
        self._claim = claim
        self._namespace, in_process = request.namespace, request.in_process
        self._ended: dict[str, float] = {}
        self._shared_memory = SharedMemory()
        self._recorded_at = 0.0
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        packages = json.dumps(dict(options.packages)) if options.packages else ""
        requested = {
            "in_process": in_process,
            "engine": options.engine,
            "packages": packages,
            "variant": options.variant,
            "start_paused": request.hold,
            "pace": request.pace,
        }
        conductor = {"scenario": scenario.path, "runs": 1, "run": run}
        conductor |= {k: v for k, v in requested.items() if v}
        others = scenario.chosen(in_process) | scenario.chosen(request.elsewhere)
        try:
            self._start(CONDUCTOR_NODE, "conductor", conductor)
            for plan in scenario.relocatable_models:
                if plan.name in others:
                    continue
                self._start(MODEL_NODE, plan.name, parameters_of(plan, run))
        except BaseException:
            self.end()
            raise

    def _start(self, module: str, name: str, parameters: Mapping[str, object]) -> None:
        files = self._claim.files if module == CONDUCTOR_NODE else ()
        self._processes[name] = start_node(module, name, self._namespace, parameters, files)

    def check(self, patience_s: float = 0.0) -> None:
        """Check that no process has failed.

        Args:
            patience_s: time for which an exit is ignored, so that the conductor can report it first [s].

        Raises:
            RunFailed: if a process exited with a nonzero code more than `patience_s` ago.
        """
        for name, process in self._processes.items():
            # not poll(), which reaps the process: the conductor also needs its exit status
            code = ended_child(process.pid)
            if code is None:
                continue
            since = self._ended.setdefault(name, time.monotonic())
            if code != 0 and time.monotonic() - since >= patience_s:
                raise RunFailed(name, "process", 0, f"its process {ending(code)}")

    def check_conductor(self) -> None:
        """Check that the conductor's process is running.

        Raises:
            RunFailed: if it has exited.
        """
        code = ended_child(self._processes["conductor"].pid)
        if code is not None:
            raise RunFailed("conductor", "process", 0, f"its process {ending(code)}")

    def conductor_ended_with(self, code: int) -> bool:
        """Whether the conductor's process has exited with this code."""
        return ended_child(self._processes["conductor"].pid) == code

    def end(self, waiting: Callable[[], object] = lambda: None) -> None:
        """End all processes, and remove shared memory left behind by killed ones.

        Args:
            waiting: called repeatedly until all processes have exited.
        """
        self.note_shared_memory()
        # The conductor first: it needs the models to end the run cleanly.
        conductor = [p for name, p in self._processes.items() if name == "conductor"]
        end_processes(conductor, waiting)
        end_processes(self._processes.values(), waiting)
        self._shared_memory.remove_unused()

    def note_shared_memory(self, period_s: float = 0.0) -> None:
        """Record the shared memory that the processes use, at most once per period, in case they are killed."""
        if time.monotonic() - self._recorded_at < period_s:
            return
        self._recorded_at = time.monotonic()
        # not poll(), which reaps the process: the exit status is needed later
        self._shared_memory.note(p.pid for p in self._processes.values())
