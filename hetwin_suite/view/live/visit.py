"""One open page: it gets messages as fast as it reads, and sends requests."""

from __future__ import annotations

import asyncio
import json
import math
import struct
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from hetwin_core.ensemble.limits import parsed_json
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import POSE
from hetwin_suite.view.film.encode import Block, scene_header
from hetwin_suite.view.film.film import Scene
from hetwin_suite.view.film.scene_of import scene_of
from hetwin_suite.view.live.feed import Begun, Feed, Happening, Now, Over, Phase
from hetwin_suite.view.live.hands import Hands, NotADeed, deed_of

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
    """News of a run, made into messages once for all pages.

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
    """Send news, until the run is over and all of it is sent."""
    feed = news.feed
    seen, sent, frames = 0, None, None
    while True:
        over = feed.over  # looked at first, so that earlier news are sent before it
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
    """Carry out the page's request.

    Raises:
        NotADeed: if no page sends such a message.
    """
    loop = asyncio.get_running_loop()
    async for text in connection:
        if len(replies) >= MOST_REPLIES:
            raise NotADeed("too much was asked for without reading the replies")
        message = _message(text)
        hands.do(deed_of(message), _reply(loop, replies, message.get("id")))


def _message(text: str | bytes) -> dict[str, Any]:
    """A message of a page.

    Raises:
        NotADeed: if it is no JSON object.
    """
    try:
        message = parsed_json(text) if isinstance(text, str) else None
    except (OSError, ValueError):
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


STATE, SCENE = 1, 2
_PHASES = tuple(Phase)
_PAGE_ORDER = (0, 1, 2, 4, 5, 6, 3)
"""Where a pose's numbers in the page's order stand in the scene's."""


class Frames:
    """Makes the messages about one run.

    Args:
        begun: the run.

    Attributes:
        scene: the message with its scene.
    """

    def __init__(self, begun: Begun) -> None:
        candidates = {
            (slot.entity, slot.attribute.name): begun.able.get(slot.attribute.name, ())
            for slot in begun.layout.slots
        }
        scene = scene_of(begun.name, begun.layout, begun.models, candidates)
        self.scene = _scene_message(begun, scene)
        self._places, self._is_there = _places(scene, begun.layout)

    def state(self, now: Now, silent_s: float | None = None) -> bytes:
        """The message with a state.

        Args:
            now: the state.
            silent_s: for how long there has been none of a live robot before or since [s]; None: no gap.
        """
        poses = now.values[self._places].astype(np.float32)
        poses[~self._is_there] = np.nan
        numbers = (
            math.nan if n is None else n for n in (now.factor, now.lag_s, now.pace, silent_s)
        )
        head: bytes = struct.pack(
            "<II5d", STATE, _PHASES.index(now.phase), now.time_ns / 1e9, *numbers
        )
        return head + poses.astype("<f4").tobytes() + now.owners.astype("<i2").tobytes()


def happened(rows: Sequence[Happening]) -> str:
    """The message with the happenings."""
    return json.dumps(
        {
            "kind": "happened",
            "rows": [
                {
                    "time": row.time_ns / 1e9,
                    "kind": row.kind.value,
                    "name": row.name,
                    "text": row.text,
                    "entity": row.entity,
                    "more": dict(row.more),
                }
                for row in rows
            ],
        }
    )


def over_message(over: Over) -> str:
    """The message that the run is over."""
    return json.dumps(
        {
            "kind": "over",
            "ended": over.ended,
            "text": over.text,
            "deterministic": over.deterministic,
            "folder": over.folder,
        }
    )


def replied(number: object, refused: str | None) -> str:
    """The message that something asked for is done, or why not."""
    return json.dumps({"kind": "replied", "id": number, "refused": refused})


def _scene_message(begun: Begun, scene: Scene) -> bytes:
    block = Block()
    duration = None if begun.duration_ns is None else begun.duration_ns / 1e9
    header = {
        "scene": scene_header(scene, block),
        "duration": duration,
        "not_held": begun.not_held,
        "buttons": begun.buttons,
    }
    kind: bytes = struct.pack("<II", SCENE, 0)
    return kind + block.deflated(header)


def _places(scene: Scene, layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(bodies, 7) where in the values the poses are, and for which bodies there is one."""
    places = np.zeros((len(scene.bodies), len(_PAGE_ORDER)), np.int64)
    is_there = np.zeros(len(scene.bodies), bool)
    for row, body in enumerate(scene.bodies):
        slot = layout.find(body.name, POSE.name)
        if slot is not None:
            places[row] = layout.slots[slot].offset + np.array(_PAGE_ORDER)
            is_there[row] = True
    return places, is_there
