"""Nodes of tiny ensembles that are started by hand, each a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from support.ros_runs import TESTS, environment
from support.warm_starts import WarmProcess

CONDUCTOR = "conductor_node.main"
MODEL = "model_nodes.ros_node"


def words(module: str, *arguments: str, **parameters: object) -> list[str]:
    """The command that starts a node.

    Args:
        module: of the node.
        arguments: after `--ros-args`, such as ``-r`` and ``__ns:=/left``.
        parameters: of the node.
    """
    given = [word for key, value in parameters.items() for word in ("-p", f"{key}:={value}")]
    return [sys.executable, "-m", module, "--ros-args", *arguments, *given]


@contextmanager
def started(command: list[str], domain: int, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A process in that domain, ended when it is not needed any more.

    Args:
        command: what is started.
        domain: of ROS.
        variables: of its environment, beside those of `environment`.
    """
    start = WarmProcess if command[:2] == [sys.executable, "-m"] else subprocess.Popen
    process = start(
        command,
        cwd=TESTS.parent,
        env={**environment(domain), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.communicate(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
