"""Opens the tables of a run from its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.projection.bag import FACTS
from hetwin_core.projection.following.definitions import Definitions
from hetwin_core.projection.following.log_file import LogFile
from hetwin_core.projection.run_folder import LOG
from hetwin_core.projection.tables.belief_errors import belief_errors
from hetwin_core.projection.tables.belief_list import BeliefList
from hetwin_core.projection.tables.deriving.deriver import Deriver, Scene
from hetwin_core.projection.tables.event_list import EventList
from hetwin_core.projection.tables.occasion_list import OccasionList
from hetwin_core.projection.tables.poses import LogPoses
from hetwin_core.projection.tables.tables import Tables


def open_tables(run: Path) -> Tables:
    """Read the tables of a run, whether it is over or not.

    Args:
        run: its folder.

    Raises:
        BadInput: if the folder holds no log, or it cannot be read.
    """
    return Follower(run).poll()


class Follower:
    """Follows the log of a run.

    Args:
        run: its folder.

    Raises:
        BadInput: if the folder holds no log.
    """

    def __init__(self, run: Path) -> None:
        self._run = run
        self._file = LogFile(_log_file(run))
        self._definitions = Definitions(self._file)
        self._scene: Scene | None = None
        self._deriver: Deriver | None = None

    def poll(self) -> Tables:
        """Read what has been added, and return the tables as far as they are known.

        Raises:
            BadInput: if the log cannot be read.
        """
        try:
            self._read()
        except BadInput:
            raise
        # A damaged file can make reading fail in any way.
        except Exception as error:
            raise BadInput(
                f"the log cannot be read: {error or type(error).__name__}",
                file=self._file.path,
                expected="a log written by hetwin",
            ) from error
        if self._scene is None or self._deriver is None or not self._deriver.pieces:
            raise BadInput(
                "the log holds no scene", file=self._run / LOG, expected="a log written by hetwin"
            )
        return self._tables(self._scene, self._deriver)

    def _read(self) -> None:
        for chunk in self._file.poll():
            if self._deriver is None:
                registries = self._definitions.messages(chunk, topics.REGISTRY.logged_name)
                if not registries:
                    continue
                self._scene = Scene(registries[-1])
                self._deriver = Deriver(self._file, self._definitions, self._scene)
            self._deriver.add(chunk)

    def _tables(self, scene: Scene, deriver: Deriver) -> Tables:
        if self._file.complete:
            deriver.finish()
        until_ns = deriver.latest_ns if self._file.complete else deriver.known_until_ns
        beliefs = BeliefList(deriver.beliefs.columns(), until_ns)
        occasions = OccasionList(deriver.book.stretches, until_ns)
        recorded = deriver.recorded
        return Tables(
            episode=self._run.resolve().name,
            layout=scene.layout,
            start_ns=deriver.timeline.time(0),
            known_until_ns=until_ns,
            finished=self._file.complete,
            occasions=occasions,
            events=EventList(deriver.book.happenings, until_ns),
            tasks=deriver.tasks.tasks(until_ns),
            beliefs=beliefs,
            belief_errors=belief_errors(
                beliefs, occasions, recorded, deriver.errors.found, until_ns
            ),
            recorded=recorded,
            believed=beliefs.about,
            poses=LogPoses(
                self._file,
                deriver.reader,
                deriver.pieces,
                deriver.timeline,
                scene.layout,
                scene.models,
            ),
            expects=_expects(self._file.facts.get(FACTS, {})),
        )


def _log_file(run: Path) -> Path:
    if not run.is_dir():
        raise BadInput("there is no such folder", file=run, expected="a folder of a run")
    files = sorted((run / LOG).glob("*.mcap"))
    if not files:
        raise BadInput(
            "there is no run in this folder",
            file=run,
            expected=f"a folder that `hetwin run --out` has written, with {LOG}/*.mcap in it",
        )
    return files[0]


def _expects(facts: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """What the scenario says that operations may do; nothing in logs that do not hold it."""
    given: Any = json.loads(facts.get("given") or "{}")
    found = (given.get("scenario") or {}).get("expects") or {}
    return {operation: tuple(events) for operation, events in found.items()}
