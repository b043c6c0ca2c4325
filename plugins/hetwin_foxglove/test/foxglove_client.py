"""A plain WebSocket client that speaks Foxglove's protocol."""

from __future__ import annotations

import json
import struct
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
from websockets.sync.client import connect

from hetwin_suite.viewer import typestore

PROTOCOL = "foxglove.sdk.v1"
PATIENCE_S = 60.0
_MESSAGE, _SERVICE = 1, 3


class FoxgloveClient:
    """Subscribes to all channels that it is told of, and keeps what comes.

    Args:
        address: ``ws://...``.
        headers: of the request, beside the usual ones.
    """

    def __init__(self, address: str, **headers: str) -> None:
        self._open = ExitStack()
        connected = connect(
            address, subprotocols=[PROTOCOL], additional_headers=headers, max_size=None
        )
        self._socket: Any = self._open.enter_context(connected)
        self._topics: dict[int, str] = {}
        self._services: dict[str, int] = {}
        self._calls = 0
        self._answers: dict[int, Any] = {}
        self.schemas: dict[str, str] = {}
        self.encodings: dict[str, str] = {}
        self.told: list[dict[str, Any]] = []
        self.messages: dict[str, list[bytes]] = defaultdict(list)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def rows(self, topic: str) -> list[Any]:
        """The messages of a topic, decoded as its channel says."""
        messages = self.messages[topic]
        if self.encodings.get(topic) == "json":
            return [json.loads(data) for data in messages]
        return [as_json(typestore().deserialize_cdr(m, self.schemas[topic])) for m in messages]

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Receive until something holds.

        Raises:
            AssertionError: if it does not in time.
        """
        end = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < end, f"no {what} after {PATIENCE_S:g} s"
            try:
                self._take(self._socket.recv(timeout=0.2))
            except TimeoutError:
                continue

    def call(self, service: str, **request: object) -> Any:
        """The response of a service."""
        self.until(lambda: service in self._services, f"service {service}")
        self._calls += 1
        number, payload = self._calls, json.dumps(request).encode()
        head = struct.pack("<BIII", 2, self._services[service], number, 4)
        self._socket.send(head + b"json" + payload)
        self.until(lambda: number in self._answers, f"answer of {service}")
        return self._answers[number]

    def _take(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            self._take_binary(message)
            return
        told = json.loads(message)
        self.told.append(told)
        if told["op"] == "advertise":
            for channel in told["channels"]:
                self._topics[channel["id"]] = channel["topic"]
                self.schemas[channel["topic"]] = channel["schemaName"]
                self.encodings[channel["topic"]] = channel["encoding"]
            wanted = [{"id": c["id"], "channelId": c["id"]} for c in told["channels"]]
            self._socket.send(json.dumps({"op": "subscribe", "subscriptions": wanted}))
        elif told["op"] == "advertiseServices":
            self._services |= {row["name"]: row["id"] for row in told["services"]}

    def _take_binary(self, message: bytes) -> None:
        if message[0] == _MESSAGE:
            subscription, _ = struct.unpack("<IQ", message[1:13])
            self.messages[self._topics[subscription]].append(message[13:])
        elif message[0] == _SERVICE:
            _, number, length = struct.unpack("<III", message[1:13])
            self._answers[number] = json.loads(message[13 + length :])


def as_json(value: Any) -> Any:
    """A message, or a part of one, as plain dictionaries, lists and numbers."""
    if is_dataclass(value):
        parts = (f.name for f in fields(value) if not f.name.startswith("_"))
        return {name: as_json(getattr(value, name)) for name in parts}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [as_json(item) for item in value] if isinstance(value, list | tuple) else value


def shown_in(markers: Any) -> set[str]:
    """The entities whose shapes an array of markers has."""
    return {marker["ns"] for marker in markers["markers"]}


def frames_in(message: Any) -> set[str]:
    """The frames that a message has, and those that they are in."""
    transforms = message["transforms"]
    parents = {transform["header"]["frame_id"] for transform in transforms}
    return parents | {transform["child_frame_id"] for transform in transforms}
