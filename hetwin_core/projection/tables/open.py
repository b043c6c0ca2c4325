"""Opens the tables of a run from its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.projection.bag import FACTS
from hetwin_core.projection.bag_metadata import METADATA
from hetwin_core.projection.following.definitions import Definitions
from hetwin_core.projection.following.log_file import Chunk, LogFile
from hetwin_core.projection.following.states import StateReader
from hetwin_core.projection.run_folder import LOG, SUMMARY
from hetwin_core.projection.tables.cache import keep_found, read_found
from hetwin_core.projection.tables.deriving.deriver import Deriver, Scene
from hetwin_core.projection.tables.found import Found, expects_of
from hetwin_core.projection.tables.tables import Tables


def open_tables(run: Path) -> Tables:
    """Read the tables of a run, whether it is over or not.

    What is found in a complete log is kept beside it, and read from there the next time; where the folder cannot be
    written to, the log is read each time.

    Args:
        run: its folder.

    Raises:
        BadInput: if the folder holds no log, or it cannot be read.
    """
    path = _log_file(run)
    found = read_found(run, path)
    if found is None:
        follower = Follower(run)
        tables = follower.poll()
        if tables.finished:
            keep_found(run, path, follower.found())
        return tables
    file = LogFile(path)
    with _readable(path):
        scene = _scene(run, file)
        reader = StateReader(scene.layout, file, Definitions(file))
    return found.tables(run, reader.again, scene.layout, scene.models)


class Follower:
    """Follows the log of a run.

    Args:
        run: its folder.

    Raises:
        BadInput: if the folder holds no log.
    """

    def __init__(self, run: Path) -> None:
        self._run = run
        self._begin()

    def _begin(self) -> None:
        self._file = LogFile(_log_file(self._run))
        self._number = self._file.path.stat().st_ino
        self._definitions = Definitions(self._file)
        self._scene: Scene | None = None
        self._deriver: Deriver | None = None

    def poll(self) -> Tables:
        """Read what has been added, and return the tables as far as they are known.

        Raises:
            BadInput: if the log cannot be read, or holds no state yet.
        """
        if self._is_replaced():
            self._begin()
        is_over = is_ended(self._run)
        with _readable(self._file.path):
            for chunk in self._file.poll():
                self._add(chunk)
            if self._deriver is not None and self._file.complete:
                self._deriver.finish()
        if self._file.damage or (is_over and not self._file.complete):
            raise self._truncated()
        if self._scene is None or self._deriver is None or not self._deriver.pieces:
            raise _no_scene(self._run)
        scene = self._scene
        again = self._deriver.reader.again
        return self.found().tables(self._run, again, scene.layout, scene.models)

    def found(self) -> Found:
        """Return all that was found so far.

        Raises:
            BadInput: if the log holds no state yet.
        """
        if self._deriver is None:
            raise _no_scene(self._run)
        deriver, finished = self._deriver, self._file.complete
        until_ns = deriver.latest_ns if finished else deriver.known_until_ns
        return Found(
            until_ns=until_ns,
            finished=finished,
            stretches=deriver.book.stretches,
            of_fluent=deriver.book.of_fluent,
            happenings=deriver.book.happenings,
            tasks=deriver.tasks.tasks(until_ns),
            beliefs=deriver.beliefs.columns,
            believed=deriver.beliefs.about,
            pose_errors=deriver.errors.found,
            recorded=deriver.recorded,
            timeline=deriver.timeline,
            pieces=deriver.pieces,
            expects=expects_of(json.loads(self._file.facts.get(FACTS, {}).get("given") or "{}")),
        )

    def _is_replaced(self) -> bool:
        """Whether the log is another file than it was: one that was recovered after its process was killed."""
        try:
            known = self._file.path.stat()
        except OSError as error:
            raise _no_run(self._run) from error
        return known.st_ino != self._number or known.st_size < self._file.read_to

    def _truncated(self) -> BadInput:
        until_ns = self._deriver.latest_ns if self._deriver is not None else 0
        why = self._file.damage or f"it breaks off at byte {self._file.read_to}"
        return BadInput(
            f"the log is truncated: {why}, after {until_ns / 1e9:.3f} s",
            file=self._file.path,
            expected="the whole log of the run",
        )

    def _add(self, chunk: Chunk) -> None:
        if self._deriver is None:
            registries = self._definitions.messages(chunk, topics.REGISTRY.logged_name)
            if not registries:
                return
            self._scene = Scene(registries[-1])
            self._deriver = Deriver(self._file, self._definitions, self._scene)
        self._deriver.add(chunk)


def _scene(run: Path, file: LogFile) -> Scene:
    """Read the scene from the beginning of a log."""
    for chunk in file.poll():
        registries = Definitions(file).messages(chunk, topics.REGISTRY.logged_name)
        if registries:
            return Scene(registries[-1])
    raise _no_scene(run)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say of a log that it cannot be read, and why."""
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
    # A damaged file can make reading fail in any way.
    except Exception as error:
        raise BadInput(
            f"the log cannot be read: {error or type(error).__name__}",
            file=path,
            expected="a log written by hetwin",
        ) from error


def _no_scene(run: Path) -> BadInput:
    return BadInput("the log holds no scene", file=run / LOG, expected="a log written by hetwin")


def _log_file(run: Path) -> Path:
    if not run.is_dir():
        raise BadInput("there is no such folder", file=run, expected="a folder of a run")
    files = sorted((run / LOG).glob("*.mcap"))
    if not files:
        raise _no_run(run)
    return files[0]


def _no_run(run: Path) -> BadInput:
    return BadInput(
        "there is no run in this folder",
        file=run,
        expected=f"a folder that `hetwin run --out` has written, with {LOG}/*.mcap in it",
    )


def is_ended(run: Path) -> bool:
    """Whether a run is over, so that its log does not grow any more."""
    return (run / LOG / METADATA).exists() or (run / SUMMARY).exists()
