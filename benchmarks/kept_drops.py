"""Recorded episodes that benchmarks keep in a folder, so that a later run goes on from them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hetwin_bauer2022.episodes import record_episodes
from hetwin_bauer2022.kind import Kind
from hetwin_bauer2022.mismatch.recording_file import read_recording, start_time_ns


@dataclass(frozen=True)
class Drop:
    """A recorded drop.

    Attributes:
        folder: of the episode.
    """

    folder: Path

    @property
    def recording(self) -> Path:
        """What the robot recorded."""
        return self.folder / "recording"

    @cached_property
    def truth(self) -> Mapping[str, Any]:
        """What really happened."""
        found: Mapping[str, Any] = json.loads((self.folder / "truth.json").read_text("utf-8"))
        return found

    @property
    def scene(self) -> Mapping[str, Any]:
        """What the robot believed at the start."""
        told = json.loads((self.folder / "scene.json").read_text("utf-8"))
        found: Mapping[str, Any] = told["scene"]
        return found

    @cached_property
    def announced(self) -> Mapping[str, float]:
        """Operation -> when it first begins [s], as the robot's program says it."""
        start = min(start_time_ns(self.recording), self.truth["start_ns"])
        recording = read_recording(self.recording)
        found: dict[str, float] = {}
        for message in recording.others:
            kind = recording.connections[message.topic].msgtype
            if kind != "hetwin/msg/ActionAnnotation":
                continue
            said: Any = recording.types.deserialize_cdr(message.data, kind)
            stamp = said.header.stamp.sec * 1_000_000_000 + said.header.stamp.nanosec
            found.setdefault(said.operation, (stamp - start) / 1e9)
        return found


def kept_drop(
    keep: Path, seed: int, number: int, near: float | None = None, *, stored: bool = False
) -> Drop | None:
    """Return a drop of a seed, recorded if it is not there.

    Args:
        keep: folder with all that is kept.
        seed: of the stand-in.
        number: of the episode, from 1.
        near: largest distance of its aim from the rim [m]; None: any.
        stored: nothing is recorded; None is returned instead.
    """
    kind = "any" if near is None else "near"
    folder = keep / f"{kind}_{seed}" / f"{number:04d}"
    options = {"near_rim": near}
    is_there = _kept(folder, Kind.DROP, seed, number, stored=stored, options=options)
    return Drop(folder / f"drop_{number:04d}") if is_there else None


def kept_insertion(keep: Path, seed: int, number: int, *, stored: bool = False) -> Path | None:
    """Return the folder of an insertion of a seed, recorded if it is not there; see `kept_drop`."""
    folder = keep / f"insertion_{seed}" / f"{number:04d}"
    is_there = _kept(folder, Kind.INSERTION, seed, number, stored=stored, options={})
    return folder / f"insertion_{number:04d}" if is_there else None


def _kept(
    folder: Path, kind: Kind, seed: int, number: int, *, stored: bool, options: Mapping[str, Any]
) -> bool:
    """Record an episode if it is not there; returns whether it is."""
    if folder.exists() or stored:
        return folder.exists()
    begun = folder.with_name(f"{folder.name}_begun")
    shutil.rmtree(begun, ignore_errors=True)  # of a run that was stopped
    begun.mkdir(parents=True)
    record_episodes(kind, 1, seed, begun, episode=number, **options)
    begun.rename(folder)
    return True
