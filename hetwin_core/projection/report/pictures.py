"""Pictures of the scene at the moments that matter."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from itertools import pairwise
from typing import NamedTuple

from PIL import Image

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.words import event_words
from hetwin_core.projection.episode import Episode
from hetwin_core.projection.report.stage import Stage
from hetwin_core.projection.report.words import is_handling

MOST = 12
_AT_LEAST = 6
_SAME_NS = 40_000_000


class Moment(NamedTuple):
    """A time worth a picture, and what happened then."""

    time_ns: int
    what: tuple[str, ...]


class Picture(NamedTuple):
    """A picture as the page embeds it."""

    time_ns: int
    what: tuple[str, ...]
    png: str
    """base64"""


def moments(episode: Episode, most: int = MOST) -> list[Moment]:
    """The start, each handling event and handover, and the end; what is close together is one moment.

    If there are too many, handling events go before handovers, and early ones before late ones; if there are
    few, some times in between are added.
    """
    handled = [(e.time_ns, event_words(e)) for e in episode.events if is_handling(e)]
    moved = [(h.time_ns, _handover_words(h)) for h in episode.handovers]
    room = max(0, most - 2)
    chosen: list[Moment] = []
    for time_ns, words in handled + moved:
        for i, moment in enumerate(chosen):
            if abs(moment.time_ns - time_ns) <= _SAME_NS:
                chosen[i] = Moment(moment.time_ns, (*moment.what, words))
                break
        else:
            if len(chosen) < room:
                chosen.append(Moment(time_ns, (words,)))
    start = Moment(episode.start_ns, ("start: the whole scene",))
    end = Moment(episode.end_ns, ("end",))
    return _filled(episode, sorted([start, *chosen, end]), min(most, _AT_LEAST))


def _filled(episode: Episode, found: list[Moment], wanted: int) -> list[Moment]:
    """Halve the longest times without a picture, as long as there are few pictures."""
    while len(found) < wanted:
        gaps = [after.time_ns - before.time_ns for before, after in pairwise(found)]
        longest = max(range(len(gaps)), key=gaps.__getitem__)
        if gaps[longest] < (episode.end_ns - episode.start_ns) // 8 or gaps[longest] < _SAME_NS:
            break
        time_ns = found[longest].time_ns + gaps[longest] // 2
        running = [a.operation for a in episode.annotations if a.begin_ns <= time_ns < a.end_ns]
        words = ", ".join(running).replace("_", " ") or "in between"
        found.insert(longest + 1, Moment(time_ns, (words,)))
    return found


def pictures(episode: Episode, most: int = MOST) -> list[Picture]:
    """Draw the moments; empty if no entity has a shape."""
    stage = Stage(episode)
    if stage.empty:
        return []
    shown = moments(episode, most)
    indices = [_index(episode, moment.time_ns) for moment in shown]
    wide, close = stage.view(indices, wide=True), stage.view(indices)
    views = [wide] + [close] * (len(shown) - 1)
    # numpy releases the interpreter's lock for most of the work.
    with ThreadPoolExecutor(2) as pool:
        images = pool.map(lambda job: stage.picture(*job), zip(indices, views, strict=True))
        return list(_embedded(shown, images))


def _embedded(shown: list[Moment], images: Iterator[Image.Image]) -> Iterator[Picture]:
    for moment, image in zip(shown, images, strict=True):
        file = BytesIO()
        # 256 colours look the same and take a third of the space.
        small = image.quantize(256, method=Image.Quantize.FASTOCTREE)
        small.save(file, "PNG", compress_level=6)
        data = base64.b64encode(file.getvalue()).decode("ascii")
        yield Picture(moment.time_ns, moment.what, data)


def _index(episode: Episode, time_ns: int) -> int:
    """The state in which what happened at a time can be seen: the first that is not earlier."""
    index = episode.index_at(time_ns)
    later = int(episode.times[index]) < time_ns and index + 1 < len(episode.times)
    return index + 1 if later else index


def _handover_words(handover: Handover) -> str:
    return f"{handover.entity} {handover.attribute}: {handover.from_model} → {handover.to_model}"
