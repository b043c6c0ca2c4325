"""Pictures of the scene at the moments that matter."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import NamedTuple

from PIL import Image

from hetwin_core.projection.episode import Episode
from hetwin_suite.view.report.closeup import with_closeup
from hetwin_suite.view.report.framing import views
from hetwin_suite.view.report.moments import Moment, moments
from hetwin_suite.view.report.stage import Stage, View


class Picture(NamedTuple):
    """A picture as the page embeds it.

    Attributes:
        time_ns: the time that it shows.
        what: what happened then.
        weight: how much it says about the run.
        png: base64.
    """

    time_ns: int
    what: tuple[str, ...]
    weight: float
    png: str


def pictures(episode: Episode, chosen: Sequence[Moment] = ()) -> list[Picture]:
    """Draw moments of a run; empty if no entity has a shape.

    Args:
        episode: the run.
        chosen: the moments; by default those that matter, the first of which shows the whole scene.
    """
    stage = Stage(episode)
    if stage.empty:
        return []
    shown = chosen or moments(episode)
    indices = [_index(episode, moment.time_ns) for moment in shown]
    jobs = zip(indices, views(stage, indices, whole=not chosen), shown, strict=True)
    # numpy releases the interpreter's lock for most of the work.
    with ThreadPoolExecutor(2) as pool:
        images = pool.map(lambda job: _picture(stage, *job), jobs)
        return list(_embedded(shown, images))


def _picture(stage: Stage, index: int, view: View, moment: Moment) -> Image.Image:
    image = stage.picture(index, view)
    return with_closeup(stage, index, view, moment.thing, image) if moment.thing else image


def _embedded(shown: Sequence[Moment], images: Iterator[Image.Image]) -> Iterator[Picture]:
    for moment, image in zip(shown, images, strict=True):
        file = BytesIO()
        # 256 colours look the same and take a third of the space.
        small = image.quantize(256, method=Image.Quantize.FASTOCTREE)
        small.save(file, "PNG", compress_level=6)
        data = base64.b64encode(file.getvalue()).decode("ascii")
        yield Picture(moment.time_ns, moment.what, moment.weight, data)


def _index(episode: Episode, time_ns: int) -> int:
    """The state in which what happened at a time can be seen: the first that is not earlier."""
    index = episode.index_at(time_ns)
    later = int(episode.times[index]) < time_ns and index + 1 < len(episode.times)
    return index + 1 if later else index
