"""Opens the tables of a run from its folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from hetwin_core.ensemble import topics
from hetwin_core.episodes.bag import FACTS
from hetwin_core.episodes.following.content import (
    is_ended,
    log_file,
    no_run,
    no_scene,
    readable,
    truncated,
)
from hetwin_core.episodes.following.definitions import Definitions
from hetwin_core.episodes.following.log_file import Chunk, LogFile, Place
from hetwin_core.episodes.following.states import StateReader, States
from hetwin_core.episodes.tables.deriving.derivation import Deriver, Scene
from hetwin_core.episodes.tables.found import Found, keep_found, read_found
from hetwin_core.episodes.tables.tables import Tables


def open_tables(run: Path) -> Tables:
    """Read the tables of a run, whether it is over or not.

    What is found in a complete log is kept beside it, and read from there the next time; where the folder cannot be
    written to, the log is read each time.

    Args:
        run: its folder.

    Raises:
        BadInput: if the folder holds no log, or it cannot be read.
    """
    path = log_file(run)
    found = read_found(run, path)
    if found is None:
        follower = Follower(run)
        tables = follower.poll()
        if tables.finished:
            keep_found(run, path, follower.found())
        return tables
    file = LogFile(path)
    with readable(path):
        scene = _scene(run, file)
        reader = StateReader(scene.layout, file, Definitions(file))
    return found.tables(run, reader.again, scene.layout, scene.models)


class Derived:
    """The tables of a log, derived chunk by chunk.

    Args:
        run: its folder.
        definitions: of its log.
    """

    def __init__(self, run: Path, definitions: Definitions) -> None:
        self._run, self._definitions, self._file = run, definitions, definitions.file
        self._scene: Scene | None = None
        self._deriver: Deriver | None = None

    def add(self, chunk: Chunk) -> States | None:
        """Take in a chunk, and return its states; None before the scene is known, too.

        Raises:
            Exception: of many kinds, if a message does not fit its definition.
        """
        if self._deriver is None:
            registries = self._definitions.messages(chunk, topics.REGISTRY.logged_name)
            if not registries:
                return None
            self._scene = Scene(registries[-1])
            self._deriver = Deriver(self._file, self._definitions, self._scene)
        return self._deriver.add(chunk)

    def finish(self) -> None:
        """Judge what waited for states that do not come any more, if the log is complete."""
        if self._deriver is not None and self._file.complete:
            self._deriver.finish()

    @property
    def latest_ns(self) -> int:
        """The last time of anything so far."""
        return 0 if self._deriver is None else self._deriver.latest_ns

    def tables(self, states_at: Callable[[Place], States] | None = None) -> Tables:
        """Return the tables as far as they are known.

        Args:
            states_at: returns the states of a chunk; None: they are read again.

        Raises:
            BadInput: if the log holds no state yet.
        """
        if self._scene is None or self._deriver is None or not self._deriver.pieces:
            raise no_scene(self._run)
        scene, again = self._scene, states_at or self._deriver.reader.again
        return self.found().tables(self._run, again, scene.layout, scene.models)

    def found(self) -> Found:
        """Return all that was found so far.

        Raises:
            BadInput: if the log holds no scene yet.
        """
        if self._deriver is None:
            raise no_scene(self._run)
        deriver, finished = self._deriver, self._file.complete
        until_ns = deriver.latest_ns if finished else deriver.known_until_ns
        given = json.loads(self._file.facts.get(FACTS, {}).get("given") or "{}")
        return Found.of(deriver, until_ns, finished, given)


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
        self._file = LogFile(log_file(self._run))
        self._number = self._file.path.stat().st_ino
        self._derived = Derived(self._run, Definitions(self._file))

    def poll(self) -> Tables:
        """Read what has been added, and return the tables as far as they are known.

        Raises:
            BadInput: if the log cannot be read, or holds no state yet.
        """
        if self._is_replaced():
            self._begin()
        is_over = is_ended(self._run)
        with readable(self._file.path):
            for chunk in self._file.poll():
                self._derived.add(chunk)
            self._derived.finish()
        if self._file.damage or (is_over and not self._file.complete):
            raise truncated(self._file, self._derived.latest_ns)
        return self._derived.tables()

    def found(self) -> Found:
        """Return all that was found so far.

        Raises:
            BadInput: if the log holds no scene yet.
        """
        return self._derived.found()

    def _is_replaced(self) -> bool:
        """Whether the log is another file than it was: one that was recovered after its process was killed."""
        try:
            known = self._file.path.stat()
        except OSError as error:
            raise no_run(self._run) from error
        return known.st_ino != self._number or known.st_size < self._file.read_to


def _scene(run: Path, file: LogFile) -> Scene:
    """Read the scene from the beginning of a log."""
    for chunk in file.poll():
        registries = Definitions(file).messages(chunk, topics.REGISTRY.logged_name)
        if registries:
            return Scene(registries[-1])
    raise no_scene(run)
