"""What was done to the samples of a recording so that they can be used: a typed account of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Bag


class Mended(StrEnum):
    """What was done to some messages or samples."""

    SORTED = "sorted"
    """Messages came out of order and were sorted."""
    LATE = "late"
    """Messages came so far out of order that they are left out."""
    SET_BACK = "set_back"
    """The clock of the stamps was set back; later stamps are shifted so that they go on."""
    SET_FORWARD = "set_forward"
    """The clock that had been set back was set forward again."""
    STOOD = "stood"
    """The clock of the stamps stood; its messages are dated by the log."""
    UNSET = "unset"
    """Stamps are 0; the log times are used."""
    OTHER_CLOCK = "other_clock"
    """Stamps are more than 1 s from the log times, which are used."""
    OTHER_PACE = "other_pace"
    """The same, and the clock of the stamps is simulated or runs at another pace."""
    BEFORE_CLOCK = "before_clock"
    """Messages were logged long before or after the rest, by a clock that was not set; they are left out."""
    SAME_TIME = "same_time"
    """Samples have the time of later ones, and other positions; the later ones are used."""
    NOT_A_NUMBER = "not_a_number"
    """Positions are NaN or infinite and are left out."""
    NO_POSITIONS = "no_positions"
    """Messages have names and no positions."""
    MISFIT = "misfit"
    """Messages have another number of positions than of names and are left out."""
    EFFORTS_MISFIT = "efforts_misfit"
    """Messages have another number of efforts than of names; the efforts are left out."""
    EFFORTS_NOT_A_NUMBER = "efforts_not_a_number"
    """Efforts are infinite and are left out."""


@dataclass(frozen=True, slots=True)
class Mending:
    """One thing that was done.

    Attributes:
        what: was done.
        topic: of the messages.
        count: how many messages or positions it was done to.
        of: how many there are.
        from_ns, to_ns: run time of the first and the last of them.
        size: by how much: seconds of a clock, a pace, or a factor; None if there is nothing to say.
        joints: of which joints; empty for all of the topic.
    """

    what: Mended
    topic: str
    count: int
    of: int
    from_ns: int = 0
    to_ns: int = 0
    size: float | None = None
    joints: tuple[str, ...] = ()

    def finding(self) -> Finding:
        """Return it as what was found before the run."""
        arguments: dict[str, Json] = {
            "what": self.what.value,
            "topic": self.topic,
            "count": self.count,
            "of": self.of,
            "size": self.size,
            "joints": list(self.joints),
        }
        return Finding("mended", max(self.from_ns, 0), max(self.to_ns, 0), arguments)


@dataclass(slots=True)
class Account:
    """All that was done to the samples of some topics, and how many of them are used.

    Attributes:
        mended: what was done.
        recorded, used: joint -> number of its samples.
    """

    mended: list[Mending] = field(default_factory=list)
    recorded: dict[str, int] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)

    def count(self, joints: Iterable[str], recorded: int, used: int) -> None:
        """Add samples of some joints."""
        for joint in joints:
            self.recorded[joint] = self.recorded.get(joint, 0) + recorded
            self.used[joint] = self.used.get(joint, 0) + used

    def findings(self, duration_ns: int) -> list[Finding]:
        """Return what was done, and, if samples are left out, of which joint most and how many in all."""
        found = [one.finding() for one in self.mended]
        lost = {joint: 1.0 - self.used[joint] / n for joint, n in self.recorded.items() if n}
        if any(share > 0.0 for share in lost.values()):
            found.append(_left_out(self.recorded, self.used, lost, duration_ns))
        return found


def _left_out(
    recorded: Mapping[str, int], used: Mapping[str, int], lost: Mapping[str, float], end_ns: int
) -> Finding:
    worst = max(lost, key=lambda joint: lost[joint])
    arguments: dict[str, Json] = {
        "joint": worst,
        "share": lost[worst],
        "count": sum(recorded.values()) - sum(used.values()),
        "of": sum(recorded.values()),
        "joints": [joint for joint, share in lost.items() if share > 0.0],
    }
    return Finding("left_out", 0, end_ns, arguments)


def of_files(bag: Bag) -> Iterator[Finding]:
    """Yield what the files of a recording lack: those that break off, and messages of a clock that was not set."""
    if bag.broken_off:
        arguments: dict[str, Json] = {
            "file": ", ".join(bag.broken_off),
            "share": max(bag.broken_off.values()),
            "until": bag.duration_ns / 1e9,
        }
        yield Finding("breaks_off", 0, bag.duration_ns, arguments)
    for topic, count in bag.left_out.items():
        of = bag.topics[topic].messages + count
        at = bag.left_out_at_s[0]
        yield Mending(Mended.BEFORE_CLOCK, topic, count, of, size=at).finding()
