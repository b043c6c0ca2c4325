"""Pictures of one run of a batch: where it first went wrong, and its end."""

from __future__ import annotations

from pathlib import Path

from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.flaws.find import flaws_of
from hetwin_suite.view.content import Picture
from hetwin_suite.view.stills.stills import Moment, stills


def run_pictures(run: Path) -> list[Picture]:
    """Return pictures of a run.

    Args:
        run: its folder.

    Raises:
        BadInput: if it has no log that can be read.
        NoGraphics: if nothing can be drawn.
    """
    drawn = stills(Episode.open(run), _moments(run))
    return [Picture(one.png, f"{one.time_ns / 1e9:.2f} s, {one.what}") for one in drawn]


def _moments(run: Path) -> list[Moment]:
    """The beginning of its first flaw, and its end."""
    episode, flaws = Episode.open(run), flaws_of(run)
    end = Moment(int(episode.times[-1]), "at the end", _thing(flaws[0].entities if flaws else ()))
    if not flaws or flaws[0].span.from_ns >= end.time_ns:
        return [end]
    first = flaws[0]
    return [Moment(first.span.from_ns, first.kind.replace("_", " "), _thing(first.entities)), end]


def _thing(entities: tuple[str, ...]) -> str:
    return entities[0] if entities else ""
