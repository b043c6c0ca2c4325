"""Rerun: an episode in its own format, asked through the server that its SDK starts on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from in_turn import Absent

from projection_peers.raw import Raw

_TIMELINE = "simulated"


class Rerun:
    """Poses of all entities; there are no intervals and no relations to ask about.

    Args:
        raw: the log.
        file: to write.
    """

    def __init__(self, raw: Raw, file: Path) -> None:
        try:
            import rerun
            from rerun import server
        except ImportError as error:
            raise Absent(f"the package rerun-sdk is not installed: {error}") from error
        self._names = raw.names
        file.parent.mkdir(parents=True, exist_ok=True)
        with rerun.RecordingStream("hetwin_benchmark") as recording:
            recording.save(str(file))
            for entity, poses in raw.poses.items():
                recording.send_columns(
                    entity,
                    indexes=[rerun.TimeColumn(_TIMELINE, duration=raw.times)],
                    columns=rerun.Transform3D.columns(translation=poses[:, :3].astype(np.float32)),
                )
        self._server = server.Server(datasets={"episode": [str(file)]})
        dataset = self._server.client().get_dataset("episode")
        self._view = dataset.filter_contents([f"/{raw.names.thing}/**"])
        self._column = f"/{raw.names.thing}:Transform3D:translation"

    def ask(self, question: str) -> Any:
        """Return the answer, or None if there is no way to ask."""
        if question == "pose":
            from datafusion import col, lit

            when = np.timedelta64(round(self._names.at * 1e9), "ns")
            before = self._view.reader(index=_TIMELINE).filter(col(_TIMELINE) <= lit(when))
            found = before.sort(col(_TIMELINE).sort(ascending=False)).limit(1)
            return self._places(found)[0]
        if question == "always_high":
            places = self._places(self._view.reader(index=_TIMELINE))
            return bool((places[:, 2] > self._names.height).all())
        return None

    def _places(self, found: Any) -> Any:
        column = found.to_arrow_table().column(self._column)
        return np.array([place[0] for place in column.to_pylist()])
