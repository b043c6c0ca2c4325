"""Requests and replies through memory that two processes share."""

from __future__ import annotations

import mmap
import os
import select
import struct
import time
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hetwin_core.ensemble.errors import BadInput, HetwinError

SIZE_BYTES = 1 << 26
"""Maximum size of one message [bytes]; shared memory that is never written to is not allocated."""
FIRST_POLL_S = 0.005
POLL_PERIOD_S = 0.02
_COUNT = struct.Struct("<q")

Part: TypeAlias = memoryview | bytes
"""Bytes of one part of a message."""


class TooLarge(HetwinError):
    """A message exceeds the shared memory."""


@dataclass(slots=True)
class FlatMessage:
    """A call of a model, or its result, with the fields of ``hetwin/ModelCall`` and ``hetwin/ModelOutput``.

    Attributes:
        call: name of the call, empty in a result.
        index: see `step_codec`.
        numbers: see `step_codec`.
        tables: see `step_codec`.
        events: events of a step, see `step_codec`.
        more: everything but arrays of numbers, as JSON.
        error: error that the model has raised, see `json_codec.error_to_text`; empty without one.
    """

    call: str = ""
    index: Any = field(default_factory=lambda: array("q"))
    numbers: Any = field(default_factory=lambda: array("d"))
    tables: Any = field(default_factory=lambda: array("i"))
    events: str = ""
    more: str = ""
    error: str = ""

    def parts(self) -> list[Part]:
        """The fields as bytes."""
        arrays = (self.index, self.numbers, self.tables)
        texts = (self.call, self.events, self.more, self.error)
        return [
            *(memoryview(numbers).cast("B") for numbers in arrays),
            *(text.encode() for text in texts),
        ]

    @classmethod
    def of(cls, parts: Sequence[bytes]) -> FlatMessage:
        """Inverse of `parts`."""
        index, numbers, tables, *texts = parts
        call, *other_texts = (text.decode() for text in texts)
        return cls(call, memoryview(index).cast("q"), numbers, tables, *other_texts)


class SharedParts:
    """Memory for one message: a list of parts of any size.

    Only one process writes at a time, and signals by other means when the other may read. The memory has no name,
    so that nothing is left behind however the processes end.

    Args:
        size: size of the memory [bytes].
        file: descriptor of the memory; by default it is new, and shared with processes that are forked from now on.
    """

    def __init__(self, size: int, file: int = -1) -> None:
        self._memory = memoryview(mmap.mmap(file, size))

    def write(self, parts: Sequence[Part]) -> None:
        """Replace the message.

        Raises:
            TooLarge: if it exceeds the memory.
        """
        memory = self._memory
        sizes = [len(part) for part in parts]
        head = struct.pack(f"<{len(parts) + 1}q", len(parts), *sizes)
        offset = len(head)
        if offset + sum(sizes) > len(memory):
            raise TooLarge(f"it has {sum(sizes)} bytes; expected at most {len(memory) - offset}")
        memory[:offset] = head
        for part, size in zip(parts, sizes, strict=True):
            memory[offset : offset + size] = part
            offset += size

    def read(self) -> list[bytes]:
        """Return a copy of the message."""
        memory = self._memory
        (count,) = _COUNT.unpack_from(memory)
        sizes = struct.unpack_from(f"<{count}q", memory, _COUNT.size)
        offset = _COUNT.size * (count + 1)
        parts = []
        for size in sizes:
            parts.append(bytes(memory[offset : offset + size]))
            offset += size
        return parts


class MemoryChannel:
    """Carries one request at a time to another process, and its reply back.

    Two counters (eventfd) signal that something can be read: unlike bytes in a pipe, they do not make the kernel
    move the waking process to the processor of the one that wakes it, which has more to do.

    Args:
        files: descriptors of both memories and both counters.

    Raises:
        BadInput: if one of the memories is too small.
    """

    FILES = 4

    def __init__(self, files: Sequence[int]) -> None:
        request, reply, self._requested, self._replied = self.files = tuple(files)
        self._request, self._reply = (
            SharedParts(_memory_size(file), file) for file in (request, reply)
        )

    @classmethod
    def make(cls) -> MemoryChannel:
        """Return a channel with new memory, shared with processes that are forked from now on."""
        memories = [os.memfd_create(f"hetwin {name}") for name in ("request", "reply")]
        for file in memories:
            os.ftruncate(file, SIZE_BYTES)
        return cls([*memories, os.eventfd(0), os.eventfd(0)])

    def request(self, message: FlatMessage) -> None:
        """Send a request.

        Raises:
            TooLarge: if it exceeds the memory.
        """
        self._request.write(message.parts())
        os.eventfd_write(self._requested, 1)

    def reply_until(self, deadline: float, may_wait: Callable[[], bool]) -> FlatMessage | None:
        """Wait for the reply.

        Args:
            deadline: time limit, by `time.monotonic` [s]; checked at each call of `may_wait`.
            may_wait: called periodically; returns whether to keep waiting.

        Returns:
            The reply; None without one.
        """
        wait_s = FIRST_POLL_S
        while not _is_signalled(self._replied, wait_s):
            if (not may_wait() or time.monotonic() >= deadline) and not _is_signalled(
                self._replied, 0.0
            ):
                return None
            wait_s = POLL_PERIOD_S
        os.eventfd_read(self._replied)
        return FlatMessage.of(self._reply.read())

    def next_request(self, timeout_s: float | None = None) -> FlatMessage | None:
        """Wait for the other process's next request; None if there is none within the timeout."""
        if not _is_signalled(self._requested, timeout_s):
            return None
        os.eventfd_read(self._requested)
        return FlatMessage.of(self._request.read())

    def reply(self, message: FlatMessage) -> None:
        """Send the reply to the last request.

        Raises:
            TooLarge: if it exceeds the memory.
        """
        self._reply.write(message.parts())
        os.eventfd_write(self._replied, 1)

    def close(self) -> None:
        """Stop sharing."""
        for file in self.files:
            with suppress(OSError):
                os.close(file)


def _memory_size(file: int) -> int:
    size = os.fstat(file).st_size
    if size < SIZE_BYTES:
        raise BadInput(
            "the shared memory is too small",
            found=f"{size} bytes",
            expected=f"{SIZE_BYTES}, as a conductor of this version shares",
        )
    return size


def _is_signalled(counter: int, timeout_s: float | None) -> bool:
    """Whether a counter exceeds 0 within the timeout; None: wait without limit."""
    poll = select.poll()
    poll.register(counter, select.POLLIN)
    return bool(poll.poll(None if timeout_s is None else timeout_s * 1e3))
