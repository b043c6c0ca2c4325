"""One open page: it gets what it can take, and asks for what it may."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from hetwin_core.ensemble.conductor.reporting.listener import Handover, ModelRecord
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats, Ints
from hetwin_suite.view.live.frames import Frames, happened, over_message, replied
from hetwin_suite.view.live.hands import Hands, NotADeed, deed_of


class Phase(StrEnum):
    """How far a run is."""

    WAITING = "waiting"
    """Its models are made ready."""
    PAUSED = "paused"
    RUNNING = "running"
    OVER = "over"


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """What is known when a run begins.

    Attributes:
        name: of the scenario.
        layout: entities and attributes.
        models: in the order in which owners count.
        able: names of the models that can be responsible, by the name of each attribute.
        duration_ns: when the run ends, if that is known.
        not_held: why the run can be neither paused nor stepped nor held to a pace; empty if it can.
    """

    name: str
    layout: Layout
    models: tuple[ModelRecord, ...]
    able: Mapping[str, tuple[str, ...]]
    duration_ns: int | None = None
    not_held: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Now:
    """The newest state.

    Attributes:
        time_ns: simulated time.
        values: (layout.size,) all attributes; poses and twists in the world frame.
        owners: (slots,) index of the responsible model.
        phase: paused, running, or over.
        factor: simulated time per wall time over the last seconds; None if it does not run.
        pace: the factor that it is held to at most; None: to none.
        lag_s: how far the twin of a live robot is behind it; None if the robot is not live.
        near: rows of `Snapshot.proximity`; None if they are not known.
    """

    time_ns: int
    values: Floats
    owners: Ints
    phase: Phase = Phase.OVER
    factor: float | None = None
    pace: float | None = None
    lag_s: float | None = None
    near: Floats | None = None


class HappeningKind(StrEnum):
    """What a happening is."""

    EVENT = "event"
    ACTION = "action"
    HANDOVER = "handover"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that has happened.

    Attributes:
        time_ns: when.
        kind: what it is.
        name: of the event or action, ``entity.attribute`` of a handover, level of a note.
        text: in words.
        entity: that it is about; may be empty.
        more: ``phase`` of an action; ``from`` and ``to`` of a handover; ``source`` of an event or note.
        said: the event or handover itself, for viewers that show more than words.
    """

    time_ns: int
    kind: HappeningKind
    name: str
    text: str
    entity: str = ""
    more: Mapping[str, str] = field(default_factory=dict)
    said: Event | Handover | None = None


@dataclass(frozen=True, slots=True)
class Over:
    """How a run has ended.

    Attributes:
        ended: see `RunSummary`; ``failed`` also if there is no summary.
        text: in words.
        deterministic: whether its digest claims that it can be repeated.
        folder: where its log is; empty if there is none.
    """

    ended: str
    text: str
    deterministic: bool = False
    folder: str = ""


class Feed(Protocol):
    """A run that is looked at; everything may be called from any thread."""

    @property
    def begun(self) -> Begun | None:
        """What is known since the run has begun; None before."""

    @property
    def over(self) -> Over | None:
        """How it has ended; None as long as it has not."""

    def now(self) -> Now | None:
        """The newest state; None before there is one."""

    def happened(self, since: int) -> tuple[int, Sequence[Happening]]:
        """What has happened since, oldest first, as far as it is kept.

        Args:
            since: the number that the last call returned; 0 at first.
        """


PERIOD_S = 0.04
"""Between two states that a page is sent."""
GAP_S = 0.5
"""Longer than this nothing comes of a live robot only if something is wrong."""
MOST_REPLIES = 32
"""Replies that wait for a page that does not read."""
_WRONG = 1008
_FEW_LETTERS = 100
_ROWS = 200
"""Happenings in one message."""


class Newspaper:
    """What is new of a run, made into messages once for all pages.

    Args:
        feed: of the run.
    """

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self._frames: Frames | None = None
        self._state: bytes | None = None
        self._made = -PERIOD_S
        self._time_ns, self._changed = -1, 0.0

    def frames(self) -> Frames | None:
        """Makes the messages; None before the run has begun."""
        if self._frames is None and self.feed.begun is not None:
            self._frames = Frames(self.feed.begun)
        return self._frames

    def state(self, frames: Frames, *, last: bool = False) -> bytes | None:
        """The message with the newest state; `last`: one that is no older than this call."""
        at = asyncio.get_running_loop().time()
        if last or at - self._made >= PERIOD_S / 2:
            self._made = at
            now = self.feed.now()
            if now is not None:
                self._state = frames.state(now, self._silence(now, at))
        return self._state

    def _silence(self, now: Now, at: float) -> float | None:
        """For how long nothing has come of a live robot [s]; None if it is not live or that is nothing unusual."""
        if now.time_ns != self._time_ns:
            self._time_ns, self._changed = now.time_ns, at
        silent = at - self._changed
        return round(silent, 1) if now.lag_s is not None and silent > GAP_S else None


async def visit(connection: ServerConnection, news: Newspaper, hands: Hands) -> str | None:
    """Serve a page until it is closed or has heard that the run is over.

    Returns:
        Why it was sent away; None if it was not.
    """
    replies: deque[str] = deque()
    telling = asyncio.create_task(_tell(connection, news, replies))
    listening = asyncio.create_task(_listen(connection, hands, replies))
    try:
        await asyncio.wait((telling, listening), return_when=asyncio.FIRST_COMPLETED)
        if listening.done() and isinstance(listening.exception(), NotADeed):
            wrong = str(listening.exception())
            await connection.close(_WRONG, wrong[:_FEW_LETTERS])
            return wrong
    finally:
        for task in (telling, listening):
            task.cancel()
        for task in (telling, listening):
            with suppress(asyncio.CancelledError, ConnectionClosed, NotADeed):
                await task
    return None


async def _tell(connection: ServerConnection, news: Newspaper, replies: deque[str]) -> None:
    """Send what is new, until the run is over and all of it is sent."""
    feed = news.feed
    seen, sent, frames = 0, None, None
    while True:
        over = feed.over  # looked at first, so that what came before it is sent before it
        if frames is None and (frames := news.frames()) is not None:
            await connection.send(frames.scene)
        if frames is not None:
            state = news.state(frames, last=over is not None)
            if state is not None and state != sent:
                await connection.send(state)
                sent = state
            seen, rows = feed.happened(seen)
            for first in range(0, len(rows), _ROWS):
                await connection.send(happened(rows[first : first + _ROWS]))
        while replies:
            await connection.send(replies.popleft())
        if over is not None:
            await connection.send(over_message(over))
            return
        await asyncio.sleep(PERIOD_S)


async def _listen(connection: ServerConnection, hands: Hands, replies: deque[str]) -> None:
    """Do what the page asks for.

    Raises:
        NotADeed: if it sends what no page sends.
    """
    loop = asyncio.get_running_loop()
    async for text in connection:
        if len(replies) >= MOST_REPLIES:
            raise NotADeed("too much was asked for without reading the replies")
        message = _message(text)
        hands.do(deed_of(message), _reply(loop, replies, message.get("id")))


def _message(text: str | bytes) -> dict[str, Any]:
    """What a page has sent.

    Raises:
        NotADeed: if it is no JSON object.
    """
    try:
        message = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise NotADeed("a message must be a JSON object")
    number = message.get("id")
    if number is not None and type(number) is not int:
        raise NotADeed("'id' must be a whole number")
    return message


def _reply(
    loop: asyncio.AbstractEventLoop, replies: deque[str], number: int | None
) -> Callable[[str | None], None]:
    def done(refused: str | None) -> None:
        with suppress(RuntimeError):  # the loop has ended, and with it the page
            loop.call_soon_threadsafe(replies.append, replied(number, refused))

    return done
