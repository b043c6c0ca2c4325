"""Draw the moving picture of the README: a run, who is responsible for the object's pose, and what happens.

Run as ``python docs/make_moving_picture.py [RUN] [--out FILE]``; without a run pick_and_place is run. Needs the extra
`view`, and EGL or OSMesa.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import hetwin_suite
from hetwin_core.ensemble.events import EventKind
from hetwin_core.ensemble.words import event_line
from hetwin_core.episodes.episode import Episode
from hetwin_stills.drawing import Drawing
from hetwin_stills.pictures import choose_views, picture
from hetwin_suite.episode import open_episode
from hetwin_suite.view.film.film import Film
from hetwin_suite.view.film.from_episode import film_of

OUT = Path(__file__).parent / "pictures" / "pick_and_place.webp"
SIZE = (620, 408)
FPS = 10
PACE = 1.5
"""Simulated seconds in a second of the picture."""
SHOWN_S = 1.6
"""An event stays below the scene for so long."""
BAR, MARGIN, TEXT = 30, 10, 17
_DARK, _LIGHT = (32, 36, 44), (236, 239, 244)


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", nargs="?", type=Path, help="folder of a run; default: a new one")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--fps", type=float, default=FPS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = given.run or Path(folder) / "run"
        if given.run is None:
            hetwin_suite.run("pick_and_place", out=run)
        write(open_episode(run), given.out, given.fps)


def write(episode: Episode, file: Path, fps: float = FPS) -> int:
    """Write a run as an animated WebP; returns how many frames it has."""
    start, end = episode.start_ns / 1e9, episode.end_ns / 1e9
    times = np.arange(start, end, PACE / fps)
    film = film_of(episode, [round(time * 1e9) for time in times])
    indices = np.minimum(np.searchsorted(film.times, times - 1e-9), len(film.times) - 1).tolist()
    view = choose_views(film, [indices[len(indices) // 3]])[0]
    with Drawing(film.scene) as drawing:
        frames = [
            _captioned(picture(drawing, film, index, view), episode, film, float(time))
            for index, time in zip(indices, times, strict=True)
        ]
    frames[0].save(
        file,
        save_all=True,
        append_images=frames[1:],
        duration=round(1000 / fps),
        loop=0,
        quality=55,
        method=6,
    )
    return len(frames)


def _captioned(drawn: Image.Image, episode: Episode, film: Film, time: float) -> Image.Image:
    """A frame with the time, the last event and the responsible model in its colour below it."""
    scene = drawn.resize(SIZE)
    frame = Image.new("RGB", (SIZE[0], SIZE[1] + BAR), _DARK)
    frame.paste(scene, (0, 0))
    pen, font = ImageDraw.Draw(frame), ImageFont.load_default(TEXT)
    y = SIZE[1] + (BAR - TEXT) // 2 - 1
    pen.text((MARGIN, y), f"{time:5.1f} s   {_event(episode, time)}", fill=_LIGHT, font=font)
    entity, model = _moved(episode, time)
    colour = next(actor.colour for actor in film.scene.models if actor.name == model)
    said = f"{entity}: {model}"
    left = SIZE[0] - MARGIN - pen.textlength(said, font=font)
    pen.text((left, y), said, fill=colour, font=font)
    return frame


def _event(episode: Episode, time: float) -> str:
    """What happened last, if it is not too long ago."""
    said = [
        event_line(event)
        for event in episode.events
        if event.kind is EventKind.MODEL and 0.0 <= time - event.time_ns / 1e9 < SHOWN_S
    ]
    return next((line for line in reversed(said) if line), "")


def _moved(episode: Episode, time: float) -> tuple[str, str]:
    """The entity that is handed over first in the run, and who is responsible for its pose at a time."""
    entity = next(h.entity for h in episode.handovers if h.attribute == "pose")
    spans = episode.responsibilities[entity, "pose"]
    return entity, next(
        (span.model for span in reversed(spans) if span.from_ns / 1e9 <= time), spans[0].model
    )


if __name__ == "__main__":
    main()
