"""rtamt: signal temporal logic on sampled signals."""

from __future__ import annotations

from typing import Any

from in_turn import Absent

from projection_peers.raw import Raw


class Rtamt:
    """The height of the object as a signal; there are no objects, intervals or events to ask about."""

    def __init__(self, raw: Raw) -> None:
        try:
            import rtamt
        except ImportError as error:
            raise Absent(f"rtamt is not installed: {error}") from error
        self._library = rtamt
        self._names = raw.names
        heights = raw.poses[raw.names.thing][:, 2]
        self._signal = {"time": [*range(len(heights))], "height": heights.tolist()}

    def ask(self, question: str) -> Any:
        """Return the answer, or None if there is no way to ask."""
        if question != "always_high":
            return None
        specification = self._library.StlDiscreteTimeOfflineSpecification()
        specification.declare_var("height", "float")
        specification.spec = f"always (height > {self._names.height})"
        specification.parse()
        return specification.evaluate(self._signal)[0][1] > 0.0
