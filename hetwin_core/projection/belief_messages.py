"""``hetwin/msg/Belief`` as a log repeats it: what the robot believes comes many times a second."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.beliefs import BeliefFields
from hetwin_core.ensemble.topics import BELIEFS
from hetwin_core.projection.cdr_template import CdrTemplate, marked_stamp
from hetwin_core.projection.messages import message

_MARK = 1.25e300
_KEPT = 256


class BeliefTemplates:
    """Serializes beliefs; those that differ only in stamp, pose and confidence share a template."""

    def __init__(self) -> None:
        self._templates: dict[BeliefFields, _Template] = {}

    def fill(self, time_ns: int, fields: BeliefFields) -> memoryview:
        """Put the numbers in.

        Returns:
            The serialized message, valid until the next call.
        """
        pose = (0.0,) * len(fields.pose)
        key = fields._replace(pose=pose, confidence=0.0)
        template = self._templates.get(key)
        if template is None:
            if len(self._templates) >= _KEPT:
                self._templates.clear()
            template = self._templates[key] = _Template(key)
        return template.fill(time_ns, fields)


class _Template:
    def __init__(self, fields: BeliefFields) -> None:
        count = len(fields.pose)
        numbers = np.zeros(count)
        numbers[:1] = _MARK
        example = message(
            BELIEFS.type,
            stamp=marked_stamp(),
            **{
                **fields._asdict(),
                "arguments": list(fields.arguments),
                "pose": numbers,
                "confidence": 2 * _MARK,
            },
        )
        self._template = template = CdrTemplate(example, BELIEFS.type)
        place = template.place(template.float64, _MARK) if count else 0
        self._pose = template.float64[place : place + count]
        self._confidence = template.place(template.float64, 2 * _MARK)

    def fill(self, time_ns: int, fields: BeliefFields) -> memoryview:
        """Put stamp, pose and confidence in."""
        self._template.set_stamps(time_ns)
        self._pose[:] = fields.pose
        self._template.float64[self._confidence] = fields.confidence
        return self._template.data
