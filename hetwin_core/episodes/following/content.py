"""Content of the log of a finished run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.topics import STATE, Topic
from hetwin_core.episodes.bag import FACTS, METADATA
from hetwin_core.episodes.following.log_file import Chunk, LogFile, Place
from hetwin_core.episodes.following.states import Definitions, StateReader, States, joined
from hetwin_core.episodes.run_folder import LOG, SUMMARY


class LogContent:
    """All messages of the wanted topics, in the order in which they were written.

    Types come from the log itself, so that logs with other versions of hetwin's messages can be read if they have
    the required fields.

    Args:
        run: folder of the run.
        wanted: topics to read.
        definitions: reader of its log's types, not used before; None: a new one.
        on_chunk: called with each chunk.

    Raises:
        BadInput: if the folder holds no run, or its log is incomplete or cannot be read.
    """

    def __init__(
        self,
        run: Path,
        *wanted: Topic,
        definitions: Definitions | None = None,
        on_chunk: Callable[[Chunk], object] = lambda _: None,
    ) -> None:
        self._definitions = definitions or Definitions(LogFile(log_file(run)))
        self._file = self._definitions.file
        self._messages: dict[str, list[Any]] = {topic.logged_name: [] for topic in wanted}
        self._state_chunks: list[Place] = []
        self._count = 0
        with readable(self._file.path):
            for chunk in self._file.poll():
                self._add(chunk)
                on_chunk(chunk)
        check_complete(run, self._file)

    def _add(self, chunk: Chunk) -> None:
        states = sum(1 for _ in self._definitions.rows(chunk, STATE.logged_name))
        if states:
            self._state_chunks.append(chunk.place)
            self._count += states
        for name, found in self._messages.items():
            found += self._definitions.messages(chunk, name)

    @property
    def description(self) -> Mapping[str, str]:
        """Facts of the log about its run, as texts."""
        return self._file.facts.get(FACTS, {})

    @property
    def has_states(self) -> bool:
        """Whether there is at least one state."""
        return self._count > 0

    def of(self, topic: Topic) -> list[Any]:
        """Return the messages of a wanted topic."""
        return self._messages[topic.logged_name]

    def states(self, layout: Layout) -> States:
        """Read all states.

        Raises:
            BadInput: if they cannot be read.
        """
        reader = StateReader(layout, self._file, self._definitions)
        with readable(self._file.path):
            return joined(map(reader.reread, self._state_chunks), self._count)


def log_file(run: Path) -> Path:
    """Return the file of a run's log.

    Raises:
        BadInput: if there is none.
    """
    if not run.is_dir():
        raise BadInput("there is no such folder", file=run, expected="a folder of a run")
    files = sorted((run / LOG).glob("*.mcap"))
    if not files:
        raise no_run(run)
    return files[0]


def is_ended(run: Path) -> bool:
    """Return whether a run is over, so that its log no longer grows."""
    return (run / LOG / METADATA).exists() or (run / SUMMARY).exists()


def check_complete(run: Path, file: LogFile) -> None:
    """Check that the whole log of a run was read.

    Raises:
        BadInput: if it was not.
    """
    if file.complete:
        return
    if file.damage or is_ended(run):
        raise truncated(file)
    raise BadInput(
        "the log is incomplete: the run is still in progress, or was killed",
        file=run / LOG,
        expected="the log of a finished run",
    )


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Convert any exception from reading a log to a BadInput with the reason."""
    try:
        yield
    except BadInput:
        raise
    except AttributeError as error:
        raise BadInput(
            f"the log is of another version of hetwin: {error}",
            file=path,
            expected="a log of this version; run the scenario again",
        ) from error
    # A damaged file can cause any exception.
    except Exception as error:
        raise BadInput(
            f"the log cannot be read: {error or type(error).__name__}",
            file=path,
            expected="a log written by hetwin",
        ) from error


def truncated(file: LogFile, until_ns: int | None = None) -> BadInput:
    """Return the error about a truncated log; its content is known until `until_ns`, if given."""
    why = file.damage or f"it breaks off at byte {file.read_to}"
    after = "" if until_ns is None else f", after {until_ns / 1e9:.3f} s"
    return BadInput(
        f"the log is truncated: {why}{after}", file=file.path, expected="the whole log of the run"
    )


def no_scene(run: Path) -> BadInput:
    """Return the error about a log without registry or state."""
    return BadInput("the log holds no scene", file=run / LOG, expected="a log written by hetwin")


def no_run(run: Path) -> BadInput:
    """Return the error about a folder without a log."""
    return BadInput(
        "there is no run in this folder",
        file=run,
        expected=f"a folder that `hetwin run --out` has written, with {LOG}/*.mcap in it",
    )
