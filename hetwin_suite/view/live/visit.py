"""The connection of one open page: it receives messages as fast as it reads, and sends requests."""

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

from hetwin_core.ensemble.limits import parse_json
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import POSE
from hetwin_suite.view.film.encode import Block, scene_header
from hetwin_suite.view.film.film import Scene
from hetwin_suite.view.film.scene_of import scene_of
from hetwin_suite.view.live.feed import Feed, Happening, LiveState, Phase, RunEnd, RunFacts
from hetwin_suite.view.live.hands import InvalidRequest, RunControls, parse_control

PERIOD_S = 0.04
"""Interval between two states that are sent to a page [s]."""
GAP_S = 0.5
"""Interval without a new state of a live robot above which the page is informed of the silence [s]."""
MAX_REPLIES = 32
"""Maximum number of replies that a page may leave unread."""
_POLICY_VIOLATION = 1008
_MAX_REASON = 100
_ROWS = 200
"""Maximum number of happenings in one message."""


class Messages:
    """The messages about a run, encoded once for all pages.

    Args:
        feed: feed of the run.
    """

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self._frames: MessageEncoder | None = None
        self._state: bytes | None = None
        self._encoded_at = -PERIOD_S
        self._time_ns, self._changed_at = -1, 0.0

    def frames(self) -> MessageEncoder | None:
        """Return the encoder of the messages; None before the run has begun."""
        if self._frames is None and self.feed.begun is not None:
            self._frames = MessageEncoder(self.feed.begun)
        return self._frames

    def state(self, frames: MessageEncoder, *, last: bool = False) -> bytes | None:
        """Return the message with the newest state; None before there is one.

        Args:
            frames: the encoder.
            last: whether the state must not be older than this call.
        """
        now_s = asyncio.get_running_loop().time()
        if last or now_s - self._encoded_at >= PERIOD_S / 2:
            self._encoded_at = now_s
            now = self.feed.now()
            if now is not None:
                self._state = frames.state(now, self._silence(now, now_s))
        return self._state

    def _silence(self, now: LiveState, now_s: float) -> float | None:
        """Return the time since the last new state of a live robot [s]; None below `GAP_S`, or if it is not live."""
        if now.time_ns != self._time_ns:
            self._time_ns, self._changed_at = now.time_ns, now_s
        silence_s = now_s - self._changed_at
        return round(silence_s, 1) if now.lag_s is not None and silence_s > GAP_S else None


async def serve_page(
    connection: ServerConnection, messages: Messages, hands: RunControls
) -> str | None:
    """Serve a page until it is closed or has received the end of the run.

    Returns:
        The reason why the page was disconnected; None if it was not.
    """
    replies: deque[str] = deque()
    sending = asyncio.create_task(_send(connection, messages, replies))
    listening = asyncio.create_task(_listen(connection, hands, replies))
    try:
        await asyncio.wait((sending, listening), return_when=asyncio.FIRST_COMPLETED)
        if listening.done() and isinstance(listening.exception(), InvalidRequest):
            reason = str(listening.exception())
            await connection.close(_POLICY_VIOLATION, reason[:_MAX_REASON])
            return reason
    finally:
        for task in (sending, listening):
            task.cancel()
        for task in (sending, listening):
            with suppress(asyncio.CancelledError, ConnectionClosed, InvalidRequest):
                await task
    return None


async def _send(connection: ServerConnection, messages: Messages, replies: deque[str]) -> None:
    """Send all messages until the run is over."""
    feed = messages.feed
    seen, sent, frames = 0, None, None
    while True:
        over = feed.over  # read first, so that earlier messages are sent before it
        if frames is None and (frames := messages.frames()) is not None:
            await connection.send(frames.scene)
        if frames is not None:
            state = messages.state(frames, last=over is not None)
            if state is not None and state != sent:
                await connection.send(state)
                sent = state
            seen, rows = feed.happened(seen)
            for first in range(0, len(rows), _ROWS):
                await connection.send(happened_message(rows[first : first + _ROWS]))
        while replies:
            await connection.send(replies.popleft())
        if over is not None:
            await connection.send(over_message(over))
            return
        await asyncio.sleep(PERIOD_S)


async def _listen(connection: ServerConnection, hands: RunControls, replies: deque[str]) -> None:
    """Carry out the page's requests.

    Raises:
        InvalidRequest: if a message is invalid, or the page does not read its replies.
    """
    loop = asyncio.get_running_loop()
    async for text in connection:
        if len(replies) >= MAX_REPLIES:
            raise InvalidRequest("too many requests without reading the replies")
        message = _message(text)
        hands.do(parse_control(message), _reply(loop, replies, message.get("id")))


def _message(text: str | bytes) -> dict[str, Any]:
    """Parse a message from a page.

    Raises:
        InvalidRequest: if it is not a JSON object, or its id is not a whole number.
    """
    try:
        message = parse_json(text) if isinstance(text, str) else None
    except (OSError, ValueError):
        message = None
    if not isinstance(message, dict):
        raise InvalidRequest("a message must be a JSON object")
    number = message.get("id")
    if number is not None and type(number) is not int:
        raise InvalidRequest("'id' must be a whole number")
    return message


def _reply(
    loop: asyncio.AbstractEventLoop, replies: deque[str], number: int | None
) -> Callable[[str | None], None]:
    def done(refused: str | None) -> None:
        with suppress(RuntimeError):  # the event loop has ended, so that the page is closed
            loop.call_soon_threadsafe(replies.append, reply_message(number, refused))

    return done


STATE, SCENE = 1, 2
_PHASES = tuple(Phase)
_PAGE_ORDER = (0, 1, 2, 4, 5, 6, 3)
"""Index in the scene's order of each number of a pose in the page's order."""


class MessageEncoder:
    """Encodes the messages about one run.

    Args:
        begun: facts about the run.

    Attributes:
        scene: the message with the run's scene.
    """

    def __init__(self, begun: RunFacts) -> None:
        candidates = {
            (slot.entity, slot.attribute.name): begun.able.get(slot.attribute.name, ())
            for slot in begun.layout.slots
        }
        scene = scene_of(begun.name, begun.layout, begun.models, candidates)
        self.scene = _scene_message(begun, scene)
        self._indices, self._has_pose = _pose_indices(scene, begun.layout)

    def state(self, now: LiveState, silent_s: float | None = None) -> bytes:
        """Return the message with a state.

        Args:
            now: the state.
            silent_s: time since the last new state of a live robot [s]; None: no unusual gap.
        """
        poses = now.values[self._indices].astype(np.float32)
        poses[~self._has_pose] = np.nan
        numbers = (
            math.nan if n is None else n for n in (now.factor, now.lag_s, now.pace, silent_s)
        )
        head: bytes = struct.pack(
            "<II5d", STATE, _PHASES.index(now.phase), now.time_ns / 1e9, *numbers
        )
        return head + poses.astype("<f4").tobytes() + now.owners.astype("<i2").tobytes()


def happened_message(rows: Sequence[Happening]) -> str:
    """Return the message with some happenings."""
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


def over_message(over: RunEnd) -> str:
    """Return the message about the end of the run."""
    return json.dumps(
        {
            "kind": "over",
            "ended": over.ended,
            "text": over.text,
            "deterministic": over.deterministic,
            "folder": over.folder,
        }
    )


def reply_message(number: object, refused: str | None) -> str:
    """Return the reply to a request: `refused` has the reason of a refusal, None if the request was carried out."""
    return json.dumps({"kind": "replied", "id": number, "refused": refused})


def _scene_message(begun: RunFacts, scene: Scene) -> bytes:
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


def _pose_indices(scene: Scene, layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return (bodies, 7) the indices of the poses in the values, and (bodies,) whether a body has a pose."""
    indices = np.zeros((len(scene.bodies), len(_PAGE_ORDER)), np.int64)
    has_pose = np.zeros(len(scene.bodies), bool)
    for row, body in enumerate(scene.bodies):
        slot = layout.find(body.name, POSE.name)
        if slot is not None:
            indices[row] = layout.slots[slot].offset + np.array(_PAGE_ORDER)
            has_pose[row] = True
    return indices, has_pose
