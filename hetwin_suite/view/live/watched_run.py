"""Feed and controls of a run in a child process.

The parent makes a `WatchedRun` and forks; in the child, `RunReporter` listens to the run. States are copied into shared
memory; events are sent with the child's other messages; the user's requests are sent through a separate pipe.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.controls import BY_HAND, OnDone, RealTimeFactor
from hetwin_core.ensemble.conductor.reporting.concerns import NewConcerns, is_concern
from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event, EventKind, phase_of
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.words import event_line, subject
from hetwin_suite.view.live.feed import (
    Happening,
    HappeningKind,
    LiveState,
    RunEnd,
    RunFacts,
    SharedState,
)
from hetwin_suite.view.live.hands import Control, HandOver, Pause, Raise, Resume, SetPace, Step

MAX_KEPT = 5000
"""Maximum number of stored happenings. A page that is opened late shows only these; the report shows all."""


class Happenings:
    """The newest happenings, numbered; may be used from any thread."""

    def __init__(self, most: int = MAX_KEPT) -> None:
        self._lock = threading.Lock()
        self._kept: deque[Happening] = deque(maxlen=most)
        self._count = 0

    def add(self, happening: Happening) -> None:
        """Append a happening."""
        with self._lock:
            self._kept.append(happening)
            self._count += 1

    def since(self, number: int) -> tuple[int, Sequence[Happening]]:
        """See `Feed.happened`."""
        with self._lock:
            first = self._count - len(self._kept)
            return self._count, tuple(islice(self._kept, max(0, number - first), None))


def run_facts_of(start: RunStart, not_held: str = "") -> RunFacts:
    """Return the facts about a run from its start; see `RunFacts`."""
    return RunFacts(
        *(start.scenario, start.layout, start.models, dict(start.able), start.duration_ns),
        not_held,
        start.buttons,
    )


class HappeningMaker:
    """Makes happenings from a run's reports; a concern is reported when it begins and when it becomes more severe."""

    def __init__(self) -> None:
        self._concerns = NewConcerns()

    def event(self, event: Event) -> Happening | None:
        """Return the happening of an event; None if the event has no description, or is a known concern."""
        if is_concern(event) and not self._concerns.is_new(event):
            return None
        text = event_line(event)
        if not text:
            return None
        kind, more = HappeningKind.EVENT, {"source": event.source}
        if event.kind is EventKind.ACTION:
            kind, more = HappeningKind.ACTION, {"phase": phase_of(event) or ""}
        entity = subject(event) or _text_argument(event.arguments, "entity")
        return Happening(event.time_ns, kind, event.name, text, entity, more, event)

    def handover(self, handover: Handover) -> Happening:
        """Return the happening of a handover."""
        name = f"{handover.entity}.{handover.attribute}"
        text = f"{name}: {handover.from_model} → {handover.to_model} ({handover.cause})"
        more = {"from": handover.from_model, "to": handover.to_model, "cause": handover.cause}
        kind = HappeningKind.HANDOVER
        return Happening(handover.time_ns, kind, name, text, handover.entity, more, handover)

    def note(self, time_ns: int, level: str, source: str, text: str) -> Happening | None:
        """Return the happening of a warning or an error; None for a note of another level."""
        if level == "info":
            return None
        more = {"source": source}
        return Happening(
            time_ns, HappeningKind.NOTE, level, f"{level}: {source}: {text}", more=more
        )


def _text_argument(arguments: Mapping[str, object], key: str) -> str:
    found = arguments.get(key)
    return found if isinstance(found, str) else ""


def apply_control(conductor: Conductor, deed: Control, done: OnDone) -> None:
    """Apply a control to a conductor; see `RunControls.do`."""
    try:
        match deed:
            case Pause():
                conductor.pause()
            case Resume():
                conductor.resume()
            case Step(steps):
                conductor.step_paused(steps, further=True)
            case SetPace(factor):
                conductor.limit_pace(factor)
            case HandOver(entity, attribute, model):
                return conductor.hand_over(entity, attribute, model, done)
            case Raise(event, arguments):
                scene = conductor.scene
                now = 0 if scene is None else scene.time_ns
                conductor.notify(Event(event, now, source=BY_HAND, arguments=arguments))
    except Refused as refusal:
        return done(str(refusal))
    return done(None)


COPY_PERIOD_NS = 33_000_000
COPY_STEPS = 10
"""Minimum number of steps between two copies of the state while the run is not waiting."""
_MAX_OPEN = 32
"""Maximum number of unanswered requests; these fit into the pipe, so that sending never blocks."""
OVER = "the run is over"

Message: TypeAlias = tuple[str, Any]
"""From the child: ``begun`` with a `RunFacts`, ``happened`` with a Happening, ``replied`` with number and refusal."""
Send: TypeAlias = Callable[[Message], None]


class WatchedRun:
    """The parent's side: a `Feed` and `RunControls`.

    Attributes:
        newest: shared memory into which the child writes states.
        deeds: the child's end of the pipe with the requests.
    """

    def __init__(self) -> None:
        self.newest = SharedState()
        self.deeds, self._to_child = multiprocessing.get_context("fork").Pipe(duplex=False)
        self._begun: RunFacts | None = None
        self._over: RunEnd | None = None
        self._happenings = Happenings()
        self._lock = threading.Lock()
        self._open: dict[int, OnDone] = {}
        self._number = 0

    @property
    def begun(self) -> RunFacts | None:
        """See `Feed`."""
        return self._begun

    @property
    def over(self) -> RunEnd | None:
        """See `Feed`."""
        return self._over

    def now(self) -> LiveState | None:
        """See `Feed`."""
        return None if self._begun is None else self.newest.read()

    def happened(self, since: int) -> tuple[int, Sequence[Happening]]:
        """See `Feed`."""
        return self._happenings.since(since)

    def do(self, deed: Control, done: OnDone) -> None:
        """See `RunControls`."""
        with self._lock:
            refusal = OVER if self._over is not None else None
            if len(self._open) >= _MAX_OPEN:
                refusal = "too many requests at once"
            if refusal is None:
                self._number += 1
                self._open[self._number] = done
                self._to_child.send((self._number, deed))
        if refusal is not None:
            done(refusal)

    def take(self, message: Message) -> None:
        """Process a message from the child."""
        kind, content = message
        if kind == "begun":
            self.newest.set_layout(content.layout)
            self._begun = content
        elif kind == "happened":
            self._happenings.add(content)
        else:
            number, refusal = content
            with self._lock:
                done = self._open.pop(number, None)
            if done is not None:
                done(refusal)

    def end(self, over: RunEnd) -> None:
        """Report the end of the run, and refuse all open requests."""
        with self._lock:
            self._over = over
            open_requests = list(self._open.values())
            self._open.clear()
        for done in open_requests:
            done(OVER)


def _near(scene: Snapshot, *, compute: bool) -> Floats | None:
    """Return the rows of proximity; None if they are not yet computed and `compute` is false."""
    return scene.near.rows() if compute else scene.near.known


class RunReporter(RunListener):
    """The child's side: reports the run to the parent, and carries out its requests.

    Args:
        run: copy of the parent's side in the fork.
        send: sends a message to the parent; may be called from any thread.
    """

    needs_each_state = False

    def __init__(self, run: WatchedRun, send: Send) -> None:
        self._newest = run.newest
        self._deeds: Connection = run.deeds
        self._send = send
        self._maker = HappeningMaker()
        self._factor = RealTimeFactor()
        self._next_ns = 0
        self._next_step = 0
        self._conductor: Conductor | None = None

    def attach(self, conductor: Conductor) -> None:
        """Start to carry out requests on this run, in a thread."""
        self._conductor = conductor
        threading.Thread(
            target=self._handle_requests, args=(conductor,), name="hands on the run", daemon=True
        ).start()

    def idle(self, seconds: float) -> None:
        """Copy the state, then wait; called repeatedly while the run is paused or ahead of its pace.

        Args:
            seconds: time to wait [s].
        """
        conductor = self._conductor
        scene = None if conductor is None else conductor.scene
        assert conductor is not None
        assert scene is not None
        if conductor.pausing.waiting:
            self._factor.restart_measurement()
            self._copy(scene)
            self._next_ns = self._next_step = 0
        else:
            self._copy_if_due(scene)
        time.sleep(seconds)

    def started(self, start: RunStart) -> None:
        """Copy the initial state, and report the start."""
        assert self._conductor is not None
        not_held = ""
        if self._conductor.is_live:
            not_held = (
                "the twin of a live robot is neither paused nor stepped: the robot does not wait"
            )
        self._newest.set_layout(start.layout)
        self._copy(start.snapshot)
        self._send(("begun", run_facts_of(start, not_held)))

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Copy the state, if that is due."""
        if step >= self._next_step:
            self._copy_if_due(scene)
            self._next_step = step + COPY_STEPS

    def event(self, event: Event) -> None:
        """Report an event."""
        self._report(self._maker.event(event))

    def handover(self, handover: Handover) -> None:
        """Report a handover."""
        self._next_ns = self._next_step = 0
        self._report(self._maker.handover(handover))

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Report a warning or an error."""
        self._report(self._maker.note(time_ns, level, source, text))

    def ended(self, summary: RunSummary) -> None:
        """Copy the last state."""
        scene = None if self._conductor is None else self._conductor.scene
        if scene is not None:
            self._copy(scene)

    def _copy_if_due(self, scene: Snapshot) -> None:
        now = time.monotonic_ns()
        if now >= self._next_ns:
            self._next_ns = now + COPY_PERIOD_NS
            self._copy(scene, self._factor.at(now, scene.time_ns))

    def _copy(self, scene: Snapshot, factor: float | None = None) -> None:
        conductor = self._conductor
        assert conductor is not None
        self._newest.write(
            scene.time_ns,
            scene.values,
            scene.owners,
            waits=conductor.pausing.counts_as_paused,
            factor=factor,
            pace=conductor.pace.factor,
            lag_s=conductor.lag_s,
            near=_near(scene, compute=conductor.pausing.waiting),
        )

    def _report(self, happening: Happening | None) -> None:
        if happening is not None:
            self._send(("happened", happening))

    def _handle_requests(self, conductor: Conductor) -> None:
        while True:
            try:
                number, deed = self._deeds.recv()
            except (EOFError, OSError):
                return
            apply_control(conductor, deed, self._reply(number))

    def _reply(self, number: int) -> OnDone:
        return lambda refusal: self._send(("replied", (number, refusal)))
