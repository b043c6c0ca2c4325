"""Small runs that are paused before their first step, and to which something is done each time they idle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from support.small_ensemble import HEADER, Recorder, scenario


class Held:
    """A run that is paused before its first step; each time it idles, one more of the deeds is done."""

    def __init__(
        self, *deeds: Callable[[Conductor], Any], text: str = HEADER, **options: Any
    ) -> None:
        read = scenario(text)
        self.record = Recorder()
        self.steps: list[int] = []
        self._deeds: Iterator[Callable[[Conductor], Any]] = iter(deeds)
        self.conductor = session(
            read, options=RunOptions(**options), listeners=[self.record], idle=self._idle
        )

    def run(self) -> Any:
        """Run to the end; returns the summary."""
        self.conductor.pause()
        return self.conductor.run()

    def _idle(self, _seconds: float) -> None:
        scene = self.conductor.scene
        assert scene is not None
        self.steps.append(round(scene.time_ns / 10_000_000))
        next(self._deeds)(self.conductor)


def wait(_: Conductor) -> None:
    """Do nothing."""
