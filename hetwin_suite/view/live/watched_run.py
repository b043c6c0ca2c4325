"""A run in a process of its own, as its parent looks at it and takes it in hand.

The parent makes a `WatchedRun` and forks; the child lets `Shown` follow its run. States go through shared memory,
which costs the run the copy of one; events go the way of all messages of the child; a user's requests go
through a pipe of its own.
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
from hetwin_core.ensemble.conductor.controls import BY_HAND, Done, Factor
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
from hetwin_suite.view.live.feed import Begun, Happening, HappeningKind, Newest, Now, Over
from hetwin_suite.view.live.hands import Deed, GoOn, HandOver, HoldTo, Pause, Raise, Step

MOST = 5000
"""Older states are forgotten: pages that open late show the last of a long run, its report shows all."""


class Happenings:
    """The newest happenings, each with a number; may be used from any thread."""

    def __init__(self, most: int = MOST) -> None:
        self._lock = threading.Lock()
        self._kept: deque[Happening] = deque(maxlen=most)
        self._count = 0

    def add(self, happening: Happening) -> None:
        """Add the newest."""
        with self._lock:
            self._kept.append(happening)
            self._count += 1

    def since(self, number: int) -> tuple[int, Sequence[Happening]]:
        """See `Feed.happened`."""
        with self._lock:
            first = self._count - len(self._kept)
            return self._count, tuple(islice(self._kept, max(0, number - first), None))


def begun_of(start: RunStart, not_held: str = "") -> Begun:
    """A page's facts about a run that begins; `not_held` as there."""
    return Begun(
        *(start.scenario, start.layout, start.models, dict(start.able), start.duration_ns),
        not_held,
        start.buttons,
    )


class Teller:
    """Makes happenings of a run's reports; of a concern only that it begins or is worse than known."""

    def __init__(self) -> None:
        self._concerns = NewConcerns()

    def event(self, event: Event) -> Happening | None:
        """An event; None if it has no words."""
        if is_concern(event) and not self._concerns.is_new(event):
            return None
        text = event_line(event)
        if not text:
            return None
        kind, more = HappeningKind.EVENT, {"source": event.source}
        if event.kind is EventKind.ACTION:
            kind, more = HappeningKind.ACTION, {"phase": phase_of(event) or ""}
        about = subject(event) or _text(event.arguments, "entity")
        return Happening(event.time_ns, kind, event.name, text, about, more, event)

    def handover(self, handover: Handover) -> Happening:
        """A responsibility that has moved."""
        what = f"{handover.entity}.{handover.attribute}"
        text = f"{what}: {handover.from_model} → {handover.to_model} ({handover.cause})"
        more = {"from": handover.from_model, "to": handover.to_model, "cause": handover.cause}
        kind = HappeningKind.HANDOVER
        return Happening(handover.time_ns, kind, what, text, handover.entity, more, handover)

    def note(self, time_ns: int, level: str, source: str, text: str) -> Happening | None:
        """A warning or an error; None if it is neither."""
        if level == "info":
            return None
        more = {"source": source}
        return Happening(
            time_ns, HappeningKind.NOTE, level, f"{level}: {source}: {text}", more=more
        )


def _text(arguments: Mapping[str, object], key: str) -> str:
    found = arguments.get(key)
    return found if isinstance(found, str) else ""


def do(conductor: Conductor, deed: Deed, done: Done) -> None:
    """Do it, or report why not; returns at once, and `done` is called once, from any thread."""
    try:
        match deed:
            case Pause():
                conductor.pause()
            case GoOn():
                conductor.resume()
            case Step(steps):
                conductor.step_paused(steps, further=True)
            case HoldTo(factor):
                conductor.hold_to(factor)
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
"""Steps between two copies unless the run waits anyway, so that each pays for a share of one only."""
_MOST_OPEN = 32
"""Deeds that are under way; they fit into the pipe, so that asking never waits."""
OVER = "the run is over"

Message: TypeAlias = tuple[str, Any]
"""From the child: ``begun`` with a Begun, ``happened`` with a Happening, ``replied`` with number and refusal."""
Tell: TypeAlias = Callable[[Message], None]


class WatchedRun:
    """The parent's side: a `Feed` and `Hands`.

    Attributes:
        newest: memory that the child writes into.
        deeds: where the child gets requests.
    """

    def __init__(self) -> None:
        self.newest = Newest()
        self.deeds, self._to_child = multiprocessing.get_context("fork").Pipe(duplex=False)
        self._begun: Begun | None = None
        self._over: Over | None = None
        self._happenings = Happenings()
        self._lock = threading.Lock()
        self._open: dict[int, Done] = {}
        self._number = 0

    @property
    def begun(self) -> Begun | None:
        """See `Feed`."""
        return self._begun

    @property
    def over(self) -> Over | None:
        """See `Feed`."""
        return self._over

    def now(self) -> Now | None:
        """See `Feed`."""
        return None if self._begun is None else self.newest.read()

    def happened(self, since: int) -> tuple[int, Sequence[Happening]]:
        """See `Feed`."""
        return self._happenings.since(since)

    def do(self, deed: Deed, done: Done) -> None:
        """See `Hands`."""
        with self._lock:
            refusal = OVER if self._over is not None else None
            if len(self._open) >= _MOST_OPEN:
                refusal = "too much was asked for at once"
            if refusal is None:
                self._number += 1
                self._open[self._number] = done
                self._to_child.send((self._number, deed))
        if refusal is not None:
            done(refusal)

    def take(self, message: Message) -> None:
        """Take in a message of the child."""
        kind, content = message
        if kind == "begun":
            self.newest.fit(content.layout)
            self._begun = content
        elif kind == "happened":
            self._happenings.add(content)
        else:
            number, refusal = content
            with self._lock:
                done = self._open.pop(number, None)
            if done is not None:
                done(refusal)

    def end(self, over: Over) -> None:
        """The run has ended; nothing can be done to it any more."""
        with self._lock:
            self._over = over
            rest = list(self._open.values())
            self._open.clear()
        for done in rest:
            done(OVER)


def _near(scene: Snapshot, *, compute: bool) -> Floats | None:
    """The rows of proximity if they cost nothing: the log reads them at some steps; None if they would."""
    return scene.near.rows() if compute else scene.near.known


class Shown(RunListener):
    """The child's side: lets the parent see the run, and carries out its requests.

    Args:
        run: the parent's side, as it was forked.
        tell: function that sends a message to the parent; may be called from any thread.
    """

    needs_each_state = False

    def __init__(self, run: WatchedRun, tell: Tell) -> None:
        self._newest = run.newest
        self._deeds: Connection = run.deeds
        self._tell = tell
        self._teller = Teller()
        self._factor = Factor()
        self._next_ns = 0
        self._next_step = 0
        self._conductor: Conductor | None = None

    def attach(self, conductor: Conductor) -> None:
        """Carry out requests on this run from now on."""
        self._conductor = conductor
        threading.Thread(
            target=self._obey, args=(conductor,), name="hands on the run", daemon=True
        ).start()

    def idle(self, seconds: float) -> None:
        """Spend up to so many seconds while the run is paused or waits for its pace; its state is copied before."""
        conductor = self._conductor
        scene = None if conductor is None else conductor.scene
        assert conductor is not None
        assert scene is not None
        if conductor.pausing.waiting:
            self._factor.begin_anew()
            self._copy(scene)
            self._next_ns = self._next_step = 0
        else:
            self._copy_if_due(scene)
        time.sleep(seconds)

    def started(self, start: RunStart) -> None:
        """Show the scene as it is at the start."""
        assert self._conductor is not None
        not_held = ""
        if self._conductor.is_live:
            not_held = (
                "the twin of a live robot is neither paused nor stepped: the robot does not wait"
            )
        self._newest.fit(start.layout)
        self._copy(start.snapshot)
        self._tell(("begun", begun_of(start, not_held)))

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Copy the state, if that is due."""
        if step >= self._next_step:
            self._copy_if_due(scene)
            self._next_step = step + COPY_STEPS

    def event(self, event: Event) -> None:
        """Report an event."""
        self._tell_of(self._teller.event(event))

    def handover(self, handover: Handover) -> None:
        """Report a handover."""
        self._next_ns = self._next_step = 0
        self._tell_of(self._teller.handover(handover))

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Report a warning or an error."""
        self._tell_of(self._teller.note(time_ns, level, source, text))

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
            waits=conductor.pausing.stands,
            factor=factor,
            pace=conductor.pace.factor,
            lag_s=conductor.lag_s,
            near=_near(scene, compute=conductor.pausing.waiting),
        )

    def _tell_of(self, happening: Happening | None) -> None:
        if happening is not None:
            self._tell(("happened", happening))

    def _obey(self, conductor: Conductor) -> None:
        while True:
            try:
                number, deed = self._deeds.recv()
            except (EOFError, OSError):
                return
            do(conductor, deed, self._reply(number))

    def _reply(self, number: int) -> Done:
        return lambda refusal: self._tell(("replied", (number, refusal)))
