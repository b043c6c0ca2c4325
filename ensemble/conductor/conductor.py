"""The conductor, as those who start a run see it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from queue import SimpleQueue

from hetwin_suite.ensemble.conductor.lifecycle import prepare
from hetwin_suite.ensemble.conductor.listeners import Listeners
from hetwin_suite.ensemble.conductor.options import RunOptions
from hetwin_suite.ensemble.conductor.parameters import is_live
from hetwin_suite.ensemble.conductor.run import Run
from hetwin_suite.ensemble.errors import BadInput
from hetwin_suite.ensemble.events import Event
from hetwin_suite.ensemble.listener import RunListener, RunStart, RunSummary
from hetwin_suite.ensemble.scenario.scenario import Scenario
from hetwin_suite.ensemble.transport.port import ModelPort


class Conductor:
    """Runs a scenario with its models.

    `prepare`, then `run`; `stop` and `notify` may be called from other threads meanwhile.

    Args:
        scenario: what to run.
        ports: the models, in the scenario's order.
        listeners: who is told what happens.
        options: what the start says beyond the scenario.
    """

    def __init__(
        self,
        scenario: Scenario,
        ports: Sequence[ModelPort],
        listeners: Sequence[RunListener] = (),
        options: RunOptions | None = None,
    ) -> None:
        self._scenario = scenario
        self._ports = tuple(ports)
        self._listeners = Listeners(listeners)
        self._options = options or RunOptions()
        self._stop = threading.Event()
        self._arrivals: SimpleQueue[Event] = SimpleQueue()
        self._run: Run | None = None

    @property
    def is_live(self) -> bool:
        """Whether the source is a robot that runs now, whose stamps are not simulated time."""
        return is_live(self._scenario, self._options)

    def prepare(self) -> RunStart:
        """Bring the models to where they can start.

        Raises:
            BadInput: if the scenario, its files or the source cannot be used; the models are stopped.
            RunFailed: if a model fails; the models are stopped.
        """
        try:
            ready = prepare(self._scenario, self._ports, self._options)
            endless = ready.duration_ns is None and self._options.duration is None
            if endless and not self.is_live:
                raise BadInput(
                    "nothing says when this run ends",
                    file=self._scenario.path,
                    where="source",
                    expected="a recording as source, or a duration",
                )
            self._run = Run(self._scenario, self._ports, self._listeners, self._options, ready)
        except BaseException:
            self._stop_models()
            raise
        return self._run.start

    def run(self) -> RunSummary:
        """Step until the source ends, a trigger or `stop` says so, or something fails.

        A failed run answers a summary too; its `ended` is ``failed``.

        Raises:
            BadInput: if a model cannot start with what it was given; nothing was recorded then.
        """
        if self._run is None:
            self.prepare()
        assert self._run is not None
        return self._run.to_the_end(self._stop, self._arrivals)

    @property
    def is_running(self) -> bool:
        """Whether the models are ready or at work, so that `stop` has an effect at once."""
        return self._run is not None

    def stop(self) -> None:
        """End the run at the next barrier; `ended` is ``stopped`` then."""
        self._stop.set()

    def notify(self, event: Event) -> None:
        """An event from outside, handled at the next barrier."""
        self._arrivals.put(event)

    def _stop_models(self) -> None:
        for port in self._ports:
            port.stop()
