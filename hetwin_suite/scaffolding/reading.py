"""How a recording is to be read, as options of commands say it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.start.sources import named_source
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.known_files import known_robots
from hetwin_core.ensemble.scenario.recorded import Stamps, Units
from hetwin_core.ensemble.scenario.source import SourceKind, kind_of
from model_nodes.main_physics.sources.datasets.episode import Episode
from model_nodes.main_physics.sources.datasets.opening import write_episode


@dataclass(frozen=True, slots=True)
class Reading:
    """How a recording is to be read.

    Attributes:
        stamps: what dates its messages; None: stamps that are near the log times, else these.
        units: of its positions, where they are not rad and m.
    """

    stamps: Stamps | None = None
    units: tuple[Units, ...] = ()

    @classmethod
    def of(cls, stamps: str | None, units: str | None) -> Reading:
        """Read the options `--stamps` and `--units`.

        Raises:
            BadInput: if one of them has no such value.
        """
        words = [word.strip() for word in (units or "").split(",") if word.strip()]
        for word in words:
            if word not in set(Units):
                expected = " or ".join(Units)
                raise BadInput(
                    "there are no such units", where="--units", found=word, expected=expected
                )
        if stamps is not None and stamps not in set(Stamps):
            expected = " or ".join(Stamps)
            raise BadInput(
                "nothing like that dates messages",
                where="--stamps",
                found=stamps,
                expected=expected,
            )
        given = tuple(Units(word) for word in dict.fromkeys(words))
        return cls(None if stamps is None else Stamps(stamps), given)

    def said(self) -> dict[str, Any]:
        """Return it as a source says it."""
        stamps = {} if self.stamps is None else {"stamps": self.stamps.value}
        return stamps | ({"units": [unit.value for unit in self.units]} if self.units else {})

    def source(self, source: str | None) -> str | None:
        """Return a source that is read so: the one that a command names, or the scenario's (None).

        Raises:
            BadInput: if it is no recording.
        """
        said = self.said()
        if not said:
            return source
        named = {} if source is None else named_source(source)
        if kind_of(named) not in (None, SourceKind.RECORDING):
            raise BadInput(
                "this says how a recording is read, and the source is none",
                where=" and ".join(f"--{key}" for key in said),
                found=source,
                expected="a recording, or no such option",
            )
        if isinstance(path := named.get("recording"), str):
            named["recording"] = str(Path(path).expanduser().resolve())
        return json.dumps(named | said)


_FOLLOWS = "_follower"
"""How LeRobot ends the name of an arm that is moved by another."""


@contextmanager
def written_for(episode: Episode, source: Path, out: Path, *, as_it_is: bool) -> Iterator[Path]:
    """Write an episode as a recording into the folder of a scenario, and remove it if what follows fails.

    Args:
        episode: what is written.
        source: the data set; errors about the recording name it.
        out: the folder, new or empty.
        as_it_is: whether positions stay in the data set's units.

    Raises:
        BadInput: if it cannot be written.
    """
    was_there = out.exists()
    try:
        yield write_episode(episode, out, as_it_is=as_it_is)
    except BaseException as error:
        recording = out / episode.name
        shutil.rmtree(recording, ignore_errors=True)
        if not was_there:
            with suppress(OSError):
                out.rmdir()
        if isinstance(error, BadInput) and error.file in (str(recording), str(recording.resolve())):
            raise error.at(error.where, source) from error
        raise


def robot_of(episode: Episode) -> str | None:
    """The known robot that the data set names; None if it names none, or one that is not known."""
    name = episode.robot.casefold().removesuffix(_FOLLOWS)
    return name if name in known_robots() else None
