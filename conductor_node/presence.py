"""Which run a conductor belongs to, said to others; and how it finds a run on another machine in its namespace.

On one machine a run's claim is exact (`hetwin_core.wire.run_identity`). Where nodes discover each other beyond it, a
conductor looks around before it begins anything: one that is already there keeps the namespace, and of several that
look at the same time the one with the smallest token gets it.
"""

from __future__ import annotations

import os
import socket
import time
from typing import Any

from rclpy.qos import QoSProfile

from conductor_node.fast_dds import discovers_quickly
from hetwin.msg import RunIdentity
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.supervision.watched_process import here
from hetwin_core.ensemble.topics import RUN
from hetwin_core.wire.publishing import latched
from hetwin_core.wire.run_identity import taken_by_another

LOOK_S = 8.0
"""Longer than two nodes on one network need to discover each other, which may be at their second announcement."""
QUICK_LOOK_S = 6.0
"""The same with the profile for quick discovery (`fast_dds`)."""
_REPEAT_S = 0.5
MOST = 100
"""Conductors of one namespace that are heard at the same time."""


def in_words(identity: Any) -> str:
    """A run that was heard of, e.g. ``3f2a91c0 (process 4711 on host arm2)``."""
    return f"{identity.run} (process {identity.pid} on host {identity.host})"


def of_all() -> QoSProfile:
    """The QoS with which all identities are heard: with the depth of a latched topic one would hide the others."""
    qos = latched()
    qos.depth = MOST
    return qos


def look_s() -> float:
    """How long to look for runs on other machines; 0 where this process's environment discovers none [s]."""
    if os.environ.get("ROS_LOCALHOST_ONLY") == "1":
        return 0.0
    if os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") in ("LOCALHOST", "OFF"):
        return 0.0
    return QUICK_LOOK_S if discovers_quickly() else LOOK_S


class Presence:
    """Publishes the run's identity on ``hetwin/run``, and listens for others there.

    Args:
        node: the conductor's.
        run: its token.
        look_s: how long to look for others before anything begins [s].
    """

    def __init__(self, node: Any, run: str, look_s: float) -> None:
        self._node = node
        self._run = run
        self._until = time.monotonic() + look_s
        self._others: dict[str, Any] = {}
        self._identity = RunIdentity(
            run=run, host=socket.gethostname(), pid=os.getpid(), place=here(), looks=look_s > 0.0
        )
        self._topic = node.create_publisher(RunIdentity, RUN.name, latched())
        node.create_subscription(RunIdentity, RUN.name, self._on_identity, of_all())
        self._topic.publish(self._identity)
        self._again = time.monotonic() + _REPEAT_S

    @property
    def looks(self) -> bool:
        """Whether it still looks around; nothing may begin before it has."""
        return bool(self._identity.looks)

    def look(self) -> None:
        """Look once more, if it still looks around.

        Raises:
            BadInput: if another run has the namespace, or gets it.
        """
        if not self.looks:
            return
        for other in self._others.values():
            if not other.looks or other.run < self._run:
                raise self._refusal(other)
        now = time.monotonic()
        if now >= self._until:
            self._identity.looks = False
        elif now < self._again:
            return
        self._again = now + _REPEAT_S
        self._topic.publish(self._identity)

    def _on_identity(self, other: Any) -> None:
        if other.run == self._run:
            return
        if not self.looks and not other.looks and other.run not in self._others:
            self._node.get_logger().error(
                f"another run, {in_words(other)}, publishes in this namespace too; this is run {self._run}"
            )
        self._others[other.run] = other

    def _refusal(self, other: Any) -> BadInput:
        return taken_by_another(
            self._node.get_namespace(), self._node.context.get_domain_id(), in_words(other)
        )
