"""Starts and ends the processes of nodes."""

from __future__ import annotations

import ctypes
import itertools
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.supervision.watched import ending

APPEAR_S = 60.0
"""Time limit until a node is seen [s]: its process has to load its modules, on a busy machine."""
REGISTER_S = 60.0
"""Time limit for a node that is seen to register [s]."""
DISCOVER_S = 60.0
"""Time limit to discover the topics of a node that has registered [s]."""
UNSEEN_S = 20.0
"""A node on this machine with no topic discovered within this time [s] is restarted, once.

On a busy machine two participants of Fast DDS sometimes never discover each other completely.
"""
MATCH_S = 30.0
"""Time limit for responses of a node whose topics are discovered [s]."""
START_S = APPEAR_S + REGISTER_S + UNSEEN_S + DISCOVER_S + MATCH_S
"""The sum of all these limits [s]."""


MODEL_NODE = "model_nodes.ros_node.main"
STARTING = "hetwin_core.ensemble.supervision.starting"
CONDUCTOR_NODE = "conductor_node.main"
END_TIMEOUT_S = 1.5
_POLL_PERIOD_S = 0.1
PR_SET_PDEATHSIG = 1


def start_node(
    module: str,
    name: str,
    namespace: str,
    parameters: Mapping[str, object],
    files: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a node in a session of its own, so that a Ctrl-C at the terminal does not reach it.

    When this process ends, the node of a model is killed, even if it hangs; the conductor's node ends its run.

    Args:
        module: module with the node's `main`.
        name: name of the node.
        namespace: namespace of the node.
        parameters: ROS parameters of the node.
        files: file descriptors that the node inherits.
    """
    on_parent_death = _kill_with_parent if module == MODEL_NODE else _terminate_with_parent
    command = [sys.executable, "-m", STARTING, module, "--ros-args", "-r", f"__node:={name}"]
    if namespace.strip("/"):
        command += ["-r", f"__ns:=/{namespace.strip('/')}"]
    for key, value in parameters.items():
        command += ["-p", f"{key}:={value}"]
    return subprocess.Popen(
        command,
        stdout=sys.stderr,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=on_parent_death,
        pass_fds=files,
    )


def parameters_of(plan: ModelPlan, run: str) -> dict[str, object]:
    """ROS parameters for a model's node; an empty token of the run is left out."""
    parameters: dict[str, object] = {"type": plan.type, "stepping": plan.stepping.value}
    if run:
        parameters["run"] = run
    if plan.folder is not None:
        parameters["modules"] = str(plan.folder)
    return parameters


def _kill_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _terminate_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


_restart_numbers = itertools.count(1)


class ModelNodes:
    """Nodes that the conductor has started to replace those of failed models.

    Args:
        namespace: namespace of the conductor.
        run: token of the conductor's run.
    """

    def __init__(self, namespace: str, run: str) -> None:
        self._namespace, self._run = namespace, run
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, plan: ModelPlan) -> None:
        """Start a node for a model in place of one that has failed or ended.

        The node gets a name of its own, so that its services are not confused with those of the former node.
        """
        parameters = {**parameters_of(plan, self._run), "model": plan.name}
        name = f"{plan.name}_restarted_{next(_restart_numbers)}"
        self._processes[plan.name] = start_node(MODEL_NODE, name, self._namespace, parameters)

    def exit_reason(self, model: str) -> str | None:
        """Describe how the last node started for this model ended; None if it is running or none was started."""
        process = self._processes.get(model)
        code = None if process is None else process.poll()
        return None if code is None else f"its process {ending(code)}"

    def end(self) -> None:
        """Terminate all started nodes."""
        end_processes(self._processes.values())


def end_processes(
    processes: Iterable[subprocess.Popen[bytes]], while_waiting: Callable[[], object] = lambda: None
) -> None:
    """Terminate processes; kill those that have not ended after `END_TIMEOUT_S`.

    Args:
        processes: the processes; some may have ended already.
        while_waiting: called repeatedly until all have ended.
    """
    running = [process for process in processes if process.poll() is None]
    for process in running:
        process.send_signal(signal.SIGTERM)
    end = time.monotonic() + END_TIMEOUT_S
    for process in running:
        while not _ends_within(process, _POLL_PERIOD_S):
            while_waiting()
            if time.monotonic() > end:
                process.kill()


def _ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True
