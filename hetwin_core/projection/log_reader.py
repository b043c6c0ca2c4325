"""Reads the messages of a run's log."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from rosbags.highlevel import AnyReader

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.topics import LOGGED, Topic
from hetwin_core.projection.bag_metadata import read_information
from hetwin_core.projection.run_folder import LOG


class LogContent:
    """All messages of the wanted topics, in the order of their log times.

    Types come from the log itself, so logs with other versions of hetwin's messages can be read as far as they have
    the fields that are read.

    Args:
        run: folder of the run.
        wanted: topics to read.

    Raises:
        BadInput: if the folder holds no run, or its log cannot be read.
    """

    def __init__(self, run: Path, wanted: tuple[Topic, ...] = LOGGED) -> None:
        check_there_is_a_log(run)
        path = run / LOG
        names = {topic.logged_name for topic in wanted}
        self._messages: dict[str, list[Any]] = defaultdict(list)
        self.description: dict[str, str] = {}
        try:
            known = read_information(path)
            self.description = dict(known.get("custom_data") or {})
            files = [path / name for name in known["relative_file_paths"]]
            # The library takes longer to read the metadata of a folder than all the rest of a short log.
            bare = all(file.suffix == ".mcap" for file in files)
            with AnyReader(files if bare else [path]) as reader:
                connections = [c for c in reader.connections if c.topic in names]
                for connection, _, raw in reader.messages(connections) if connections else ():
                    self._messages[connection.topic].append(
                        reader.deserialize(raw, connection.msgtype)
                    )
        # A damaged file can make the reader fail in any way.
        except Exception as error:
            raise BadInput(
                f"the log cannot be read: {error or type(error).__name__}",
                file=path,
                expected="a complete rosbag2 of a run",
            ) from error

    def of(self, topic: Topic) -> list[Any]:
        """The messages of one topic."""
        return self._messages[topic.logged_name]


def check_there_is_a_log(run: Path) -> None:
    """See that a folder holds a log.

    Raises:
        BadInput: if it does not.
    """
    if not (run / LOG).is_dir():
        raise BadInput(
            "there is no run in this folder",
            file=run,
            expected=f"a folder that `hetwin run --out` has written, with {LOG}/ in it",
        )
