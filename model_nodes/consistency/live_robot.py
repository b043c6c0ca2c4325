"""Hears the joint states of a robot that runs beside its twin."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from hetwin_core.ensemble.topics import JOINT_STATES
from model_nodes.consistency.heard import Heard
from model_nodes.main_physics.sources.cdr import Undecodable
from model_nodes.main_physics.sources.joint_messages import JointMessageDecoder
from model_nodes.main_physics.sources.live.link import RobotLink
from model_nodes.main_physics.sources.live.report import OK, WARN

STATUS = "hetwin: robot beside its twin"
"""Name of the diagnostic."""
NODE = "consistency_listener"


class LiveRobot:
    """Collects joint states in a namespace until it is closed.

    Args:
        namespace: of the robot.

    Attributes:
        heard: what it has said.
    """

    def __init__(self, namespace: str) -> None:
        self.heard = Heard()
        self._decoder = JointMessageDecoder()
        self._undecoded = 0
        self._link = RobotLink(
            namespace, (JOINT_STATES.name,), self._hear, {}, {}, self._report, STATUS, NODE
        )

    def close(self) -> None:
        """Stop listening."""
        self._link.close()

    def _hear(self, raw: Any, _arrived_ns: int) -> None:
        try:
            sample = self._decoder.decode(raw)
        except Undecodable:
            self._undecoded += 1
            return
        positions = np.frombuffer(sample.positions).tolist()
        self.heard.add(sample.names, positions, sample.stamp_ns / 1e9, time.monotonic())

    def _report(self) -> tuple[bytes, str, Mapping[str, str]]:
        values = {"messages that could not be read": str(self._undecoded)}
        if self._undecoded:
            return WARN, "joint states cannot be read", values
        return OK, "hears the robot", values
