"""An episode of a data set as the recording of a new scenario, written beside it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.known_files import known_robots
from model_nodes.main_physics.sources.datasets import Episode, write_episode

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
