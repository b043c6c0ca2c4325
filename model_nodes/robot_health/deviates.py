"""Joints of the twin that are not where the recording says."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.watch import WatchLayout
from model_nodes.robot_health.lasting import Found, Key, Lasting
from model_nodes.robot_health.settings import Scale
from model_nodes.robot_health.view import View


class Deviates:
    """Raises ``deviates`` with ``joint`` and ``deviation``, the twin's position minus the recorded one, and ``unit``.

    Args:
        scale: sizes of deviations.
        layout: names of the joints.
    """

    def __init__(self, scale: Scale, layout: WatchLayout) -> None:
        self._scale, self._least = scale, scale.least
        self._layout, self._joints = layout, layout.joints
        self._lasting = Lasting("deviates")

    def watch(self, view: View) -> list[Event]:
        """What deviates now; a report about another time than the view's says nothing of it."""
        report = view.watch
        if report is None or report.time_ns != view.snapshot.time_ns:
            return []
        away = view.positions - report.recorded
        found: dict[Key, Found] = {}
        beyond = np.abs(away) >= self._least
        for i in beyond.nonzero()[0].tolist() if beyond.any() else ():
            size = abs(float(away[i]))
            severity = self._scale.severity(size)
            if severity is not None:
                arguments: dict[str, Json] = {
                    "joint": self._joints[i],
                    "deviation": float(away[i]),
                    "unit": self._layout.unit(self._joints[i]),
                }
                found[(self._joints[i],)] = Found(severity, size, arguments)
        return self._lasting.update(view.time_ns, found)
