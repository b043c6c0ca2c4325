"""Joint samples of a recording, collected in a few large arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s, Publisher, ReadFault
from model_nodes.main_physics.sources.cdr import Undecodable
from model_nodes.main_physics.sources.joint_messages import (
    JointMessageDecoder,
    JointSample,
)

_Layout: TypeAlias = tuple[Publisher, tuple[str, ...], bool]
"""Who publishes which joints in which order, and whether with efforts."""

STAMP_TOLERANCE_NS = 1_000_000_000
"""A header stamp further from the log time than this is from another clock and not used."""


@dataclass(slots=True)
class Group:
    """One publisher's samples of the same joints, in one order; numbers stay bytes until all messages are read."""

    publisher: Publisher
    names: tuple[str, ...]
    has_efforts: bool
    messages: list[int] = field(default_factory=list)
    positions: bytearray = field(default_factory=bytearray)
    efforts: bytearray = field(default_factory=bytearray)

    def add(self, message: int, positions: bytes, efforts: bytes) -> None:
        """Append one sample, in the group's order."""
        self.messages.append(message)
        self.positions += positions
        self.efforts += efforts

    def message_numbers(self) -> Int64s:
        """Return (n,) the number of each sample's message."""
        return np.array(self.messages, np.int64)

    def position_table(self) -> Floats:
        """Return (n, joints) positions [rad or m]."""
        return np.frombuffer(self.positions).reshape(-1, len(self.names))

    def effort_table(self) -> Floats:
        """Return (n, joints) efforts [Nm or N]; NaN where not recorded."""
        if not self.has_efforts:
            return np.full((len(self.messages), len(self.names)), np.nan)
        return np.frombuffer(self.efforts).reshape(-1, len(self.names))


class JointTable:
    """All joint samples of some topics.

    Attributes:
        groups: samples by publisher and the set of joints in their messages.
        times_ns: (messages,) run time of each message [ns], from its stamp if that is plausible.
        foreign_stamps: number of messages whose stamp is from another clock.
        without_positions: number of messages without positions.
        wrong_efforts: number of messages whose efforts do not match their names.
        fault: set if the recording cannot be read to its end.
    """

    def __init__(self, file: Path, renamed: Mapping[str, str]) -> None:
        self.groups: dict[tuple[Publisher, frozenset[str], bool], Group] = {}
        self.times_ns: Int64s = np.empty(0, np.int64)
        self.foreign_stamps = 0
        self.without_positions = 0
        self.wrong_efforts = 0
        self.fault: ReadFault | None = None
        self._file = file
        self._renamed = renamed
        self._layouts: dict[_Layout, tuple[Group, list[int] | None]] = {}
        self._topics: list[str] = []

    def read(
        self, messages: Iterable[tuple[Publisher, int, bytes] | ReadFault], start_ns: int
    ) -> None:
        """Read to the end, or to the first message that cannot be read.

        Raises:
            BadInput: if positions do not match names, or a message contains a joint twice.
        """
        decoder = JointMessageDecoder()
        stamps: list[int] = []
        logged: list[int] = []
        for message in messages:
            if isinstance(message, ReadFault):
                self.fault = message
                break
            publisher, log_ns, raw = message
            self._topics.append(publisher.topic)
            try:
                sample = decoder.decode(raw)
            except Undecodable as error:
                reason = f"{self._file}: {self.place(-1)} cannot be decoded: {error}"
                self.fault = ReadFault(log_ns, reason)
                break
            stamps.append(sample.stamp_ns - start_ns)
            logged.append(log_ns)
            self._add(len(stamps) - 1, publisher, sample)
        self._date(np.array(stamps, np.int64), np.array(logged, np.int64))

    def place(self, message: int) -> str:
        """Return the topic of a message and its number on that topic, from 1 (for errors)."""
        topic = self._topics[message]
        before = self._topics[:message] if message >= 0 else self._topics[:-1]
        return f"{topic}, message {before.count(topic) + 1}"

    @property
    def recorded_names(self) -> set[str]:
        """The joints' recorded names."""
        return {name for _, names, _ in self._layouts for name in names}

    @property
    def joints(self) -> set[str]:
        """The joints with positions, by the robot's names."""
        return {name for group in self.groups.values() for name in group.names}

    def _date(self, stamps: Int64s, logged: Int64s) -> None:
        near = np.abs(stamps - logged) <= STAMP_TOLERANCE_NS
        self.foreign_stamps = int(np.count_nonzero(~near))
        self.times_ns = np.where(near, stamps, logged)

    def _add(self, message: int, publisher: Publisher, sample: JointSample) -> None:
        size = 8 * len(sample.names)
        if not sample.positions:
            self.without_positions += bool(sample.names)
            return
        if len(sample.positions) != size:
            raise BadInput(
                "positions do not match joint names",
                file=self._file,
                where=self.place(message),
                found=f"{len(sample.names)} names and {len(sample.positions) // 8} positions",
                expected="as many positions as names",
            )
        if len(sample.efforts) not in (0, size):
            self.wrong_efforts += 1
        efforts = sample.efforts if len(sample.efforts) == size else b""
        group, order = self._layout(message, (publisher, sample.names, bool(efforts)))
        positions = sample.positions
        if order is not None:
            positions = np.frombuffer(positions)[order].tobytes()
            efforts = np.frombuffer(efforts)[order].tobytes() if efforts else efforts
        group.add(message, positions, efforts)

    def _layout(self, message: int, layout: _Layout) -> tuple[Group, list[int] | None]:
        """Return the group of these names, and their permutation to its order (None: identical)."""
        if (known := self._layouts.get(layout)) is not None:
            return known
        publisher, names, has_efforts = layout
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise BadInput(
                "a message contains a joint twice",
                file=self._file,
                where=self.place(message),
                found=twice,
                expected="each joint once per message",
            )
        robot_names = tuple(self._renamed.get(name, name) for name in names)
        group = self.groups.setdefault(
            (publisher, frozenset(robot_names), has_efforts),
            Group(publisher, robot_names, has_efforts),
        )
        same = group.names == robot_names
        order = None if same else [robot_names.index(name) for name in group.names]
        self._layouts[layout] = group, order
        return group, order
