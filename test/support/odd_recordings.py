"""Recordings of hetwin's own arm in which clocks, values or files are odd, as those of people's own robots are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import CompressionMode, StoragePlugin

from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.world.description import Body
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf
from support.recorded_bags import EPOCH_NS, MS, Recorded, joints, storage_file, write_bag
from support.robot_files import TABLETOP_ARM
from support.tabletop import JOINTS

PERIOD_NS = 12_500_000
COUNT = 240
"""Messages of three seconds."""
NAN = math.nan
Clock = Callable[[int, int], int]
"""Number of a message and when it was sent [ns] -> its stamp [ns]."""


def swing(time_ns: int) -> list[float]:
    """All joints swing slowly; the fingers stay half open."""
    seconds = time_ns / 1e9
    return [
        0.02 if "finger" in name else 0.3 * math.sin(seconds + 0.1 * i)
        for i, name in enumerate(JOINTS)
    ]


def arm() -> Body:
    """The robot."""
    return read_urdf(TABLETOP_ARM, Notes())


def messages(
    stamp: Clock = lambda _, sent: sent,
    log: Clock = lambda _, sent: sent,
    *,
    count: int = COUNT,
    positions: Callable[[int, list[float]], Sequence[float]] = lambda _, values: values,
    names: Sequence[str] = JOINTS,
    efforts: Callable[[int], Sequence[float]] = lambda _: (),
) -> list[Recorded]:
    """Joint states every 12.5 ms, in the order of the log."""
    made = []
    for k in range(count):
        sent = k * PERIOD_NS
        values = positions(k, swing(sent))
        made.append(
            joints(log(k, sent), names, values, stamp_ns=stamp(k, sent), efforts=efforts(k))
        )
    return sorted(made, key=lambda one: one.time_ns)


def opened(path: Path, **options: Any) -> Plan:
    """A recording as it moves the arm."""
    return open_source({"recording": str(path), **options}, robots=[arm()])


def written(folder: Path, made: Sequence[Recorded], **options: Any) -> Plan:
    """Write a recording, and open it."""
    return opened(write_bag(folder / "bag", made), **options)


def said(source: Plan, name: str = "mended") -> dict[str, Finding]:
    """What was done to the messages, or another kind of finding, by what it is."""
    return {str(f.arguments.get("what")): f for f in source.findings if f.name == name}


def lost(source: Plan) -> float:
    """The greatest share of a joint's samples that is not used."""
    shares = [f.arguments["share"] for f in source.findings if f.name == "left_out"]
    return float(shares[0]) if shares else 0.0  # type: ignore[arg-type]


def error(source: Plan, shift_ns: int = 0, pace: float = 1.0) -> float:
    """How far the first joint is from where it was at most [rad].

    Args:
        source: the recording.
        shift_ns: run time of the message that was sent at 0.
        pace: run time that passes in a second of the robot's.
    """
    (part,) = source.parts
    part.bind(JOINTS, 2_500_000)
    sent = np.arange(30 * MS, (COUNT - 3) * PERIOD_NS, 10 * MS)
    found = [part.motion(round(t * pace) + shift_ns).positions[0] for t in sent]
    return float(np.max(np.abs(np.array(found) - [swing(int(t))[0] for t in sent])))


def cut(
    folder: Path,
    share: float,
    made: Sequence[Recorded] | None = None,
    *,
    storage: StoragePlugin = StoragePlugin.MCAP,
    compression: CompressionMode = CompressionMode.NONE,
) -> Path:
    """A recording that breaks off after a share of its bytes; returns its file."""
    bag = write_bag(folder / "bag", made or messages(), storage=storage, compression=compression)
    file = storage_file(bag)
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    return file


def logged_before_the_clock(made: Sequence[Recorded], count: int, at_ns: int) -> list[Recorded]:
    """The first messages with log times and stamps of a clock that begins at a time [ns since the epoch]."""
    early = []
    for k, one in enumerate(made[:count]):
        at = at_ns + k * PERIOD_NS * (at_ns > 0) - EPOCH_NS
        changed = joints(at, JOINTS, one.message.position, stamp_ns=at)
        early.append(replace(changed, time_ns=at))
    return [*early, *made[count:]]


def in_degrees(_: int, values: list[float]) -> list[float]:
    """Positions of joints that turn, in degrees."""
    pairs = zip(JOINTS, values, strict=True)
    return [value if "finger" in name else math.degrees(value) for name, value in pairs]
