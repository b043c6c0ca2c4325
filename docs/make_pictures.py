"""Draws the moving picture of the README from a run: what the twin sees, who is responsible, what happened.

Usage: make_pictures.py [FILE]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from hetwin_core.ensemble.events import EventKind
from hetwin_core.ensemble.words import event_words
from hetwin_suite import Episode, open_episode, run
from hetwin_suite.view.film.from_episode import film_of
from hetwin_suite.view.palette import model_colours
from hetwin_suite.view.stills.drawing import Drawing
from hetwin_suite.view.stills.looking import views
from hetwin_suite.view.stills.stills import picture

SCENARIO, ENTITY = "pick_and_place", "box"
FRAMES_PER_S = 8
FASTER = 1.6
"""The picture runs so many times faster than the robot did."""
LAST_FRAME_MS = 2500
CAPTION = 46
COLOURS = 128
FILE = Path(__file__).resolve().parent / "pictures" / "pick_and_place.gif"


def draw(episode: Episode) -> list[Image.Image]:
    """The frames of a run, each with the newest event in words and the owner of the object's pose."""
    times = np.arange(episode.start_ns, episode.end_ns, FASTER * 1e9 / FRAMES_PER_S).astype(int)
    film = film_of(episode, times.tolist())
    indices = [int(np.argmin(np.abs(film.times - time_ns / 1e9))) for time_ns in times]
    view = max(views(film, indices[:: max(1, len(indices) // 12)]), key=lambda one: one.distance)
    with Drawing(film.scene) as drawing:
        pictures = [picture(drawing, film, index, view) for index in indices]
    states = [episode.index_at(int(time_ns)) for time_ns in times]
    return [_captioned(one, episode, state) for one, state in zip(pictures, states, strict=True)]


def _captioned(still: Image.Image, episode: Episode, index: int) -> Image.Image:
    now = int(episode.times[index])
    said = [e for e in episode.events if e.kind is EventKind.MODEL and e.time_ns <= now]
    owner = episode.models[int(episode.owners[index, episode.layout.slot_id(ENTITY, "pose")])].name
    frame = Image.new("RGB", (still.width, still.height + CAPTION), "#f6f7f9")
    frame.paste(still, (0, 0))
    pen = ImageDraw.Draw(frame)
    words = ImageFont.load_default(17)
    middle = still.height + CAPTION // 2
    pen.text((14, middle), f"{now / 1e9:5.2f} s", "#6a7585", words, "lm")
    pen.text((92, middle), event_words(said[-1]) if said else "", "#20252e", words, "lm")
    right = still.width - 14
    pen.text((right, middle), owner, model_colours(episode.models)[owner], words, "rm")
    width = pen.textlength(owner, words)
    pen.text((right - width - 8, middle), f"{ENTITY} pose:", "#6a7585", words, "rm")
    return frame


def write(frames: list[Image.Image], file: Path) -> None:
    """Write an animation that begins again; all frames share one palette, so that it stays small."""
    step = max(1, len(frames) // 8)
    sample = np.concatenate([np.asarray(frame) for frame in frames[::step]])
    palette = Image.fromarray(sample).quantize(COLOURS)
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    shown_ms = [round(1000 / FRAMES_PER_S)] * len(small)
    shown_ms[-1] = LAST_FRAME_MS
    small[0].save(file, save_all=True, append_images=small[1:], duration=shown_ms, loop=0)


def main(file: Path) -> None:
    """Run the scenario and draw it."""
    with tempfile.TemporaryDirectory() as folder:
        summary = run(SCENARIO, out=Path(folder) / "run")
        write(draw(open_episode(summary.folder)), file)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
