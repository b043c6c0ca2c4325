"""Draws scenes in the middle of a run with each object in the colour of its fidelity.

Scenarios A, B and C of Tallavajhula et al. (2019), and a floor full of boxes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Fidelity, ShapeKind
from hetwin_core.episodes.episode import Episode
from hetwin_stills.drawing import Drawing
from hetwin_stills.pictures import box_corners, fit_view
from hetwin_suite.running.api import run
from hetwin_suite.view.film.film import Actor, Part, Scene
from hetwin_suite.view.film.from_episode import film_of
from hetwin_truck.cluttered_floor import write_cluttered_floor
from hetwin_truck.packets import LOADS
from hetwin_truck.scenario import write_truck_scenario

COLOURS = {Fidelity.HIGH: "#e8833a", Fidelity.MEDIUM: "#d9c77a", Fidelity.LOW: "#8fa3bf"}
WIDTH, HEIGHT = 760, 500
_CLEAR = 0.12
"""How opaque the walls are, which would hide the load."""
_GROUND = (0.82, 0.83, 0.85, 1.0)
_AROUND = 2.6
"""Length of the floor over how far from its middle the farthest object is."""
_PICK_S = 1.1
"""After its plungers extend the robot holds packets [s]."""
_FLOOR_S, _TRUCK_S = 6.0, 5.0
"""How long is simulated [s]."""
_TRUCK_VIEW, _FLOOR_VIEW = (62.0, -38.0), (60.0, -52.0)
"""Azimuth and elevation of the camera [degrees]."""


def drawn(episode: Episode, time_ns: int, view: tuple[float, float]) -> Any:
    """Return (height, width, 3) colours of a run at a time.

    Args:
        episode: the run.
        time_ns: the time.
        view: azimuth and elevation of the camera [degrees].
    """
    film = film_of(episode, [time_ns])
    index = min(int(np.searchsorted(film.times, time_ns / 1e9 - 1e-9)), len(film.times) - 1)
    state = episode.index_at(round(film.times[index] * 1e9))
    levels = [_level(episode, body.name, state) for body in film.scene.bodies]
    chosen = [body.name for body in film.scene.bodies if body.kind != EntityKind.STATIC]
    corners = np.concatenate([box_corners(film, name, index) for name in chosen])
    scene = _coloured(film.scene, _AROUND * float(np.abs(corners[:, :2]).max()))
    with Drawing(scene, WIDTH, HEIGHT) as drawing:
        drawing.set_state(film.poses[index], np.array(levels, np.int32))
        return drawing.picture(fit_view(corners, *view))


def _level(episode: Episode, name: str, state: int) -> int:
    """Return the index of an object's colour; -1: it has its own."""
    if not episode.layout.has(name, "fidelity"):
        return -1
    return list(COLOURS).index(Fidelity.of(float(episode.attribute(name, "fidelity")[state, 0])))


def _coloured(scene: Scene, floor: float) -> Scene:
    """Return a scene in which fidelities stand for models, walls are clear, and a floor is as large as needed [m]."""
    actors = tuple(Actor(level.name.lower(), colour, False) for level, colour in COLOURS.items())
    bodies = tuple(
        replace(body, parts=tuple(_clear(part, floor) for part in body.parts))
        if body.kind == EntityKind.STATIC
        else body
        for body in scene.bodies
    )
    return replace(scene, models=actors, bodies=bodies)


def _clear(part: Part, floor: float) -> Part:
    if part.kind == ShapeKind.PLANE:
        return replace(part, size=(floor, floor), colour=_GROUND)
    return replace(part, colour=(*part.colour[:3], _CLEAR))


def picking(episode: Episode) -> int:
    """Return when the robot holds packets, in ns."""
    pick = next(one for one in episode.annotations if one.operation == "pick")
    return pick.begin_ns + round(_PICK_S * 1e9)


def scene_of(
    write: Callable[[Path], Path],
    duration: float,
    find: Callable[[Episode], int],
    view: tuple[float, float],
) -> Any:
    """Run a scenario that is written into a folder, and draw it."""
    with tempfile.TemporaryDirectory(prefix="hetwin_scenes_") as name:
        path = write(Path(name))
        out = Path(name) / "run"
        run(path, out=out, duration=duration, transport="local")
        episode = Episode.open(out)
        return drawn(episode, find(episode), view)


def write_picture(file: Path, titles: Sequence[str], pictures: Sequence[Any]) -> None:
    """Write pictures side by side, with what their colours mean."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt
    from matplotlib.patches import Patch

    size = (4.6 * len(pictures), 4.6 * HEIGHT / WIDTH + 0.7)
    figure, axes = plt.subplots(1, len(pictures), figsize=size, layout="constrained", squeeze=False)
    for at, title, pixels in zip(axes[0], titles, pictures, strict=True):
        at.imshow(pixels)
        at.set_title(title, fontsize=11)
        at.set_axis_off()
    told = [Patch(color=colour, label=level.name.lower()) for level, colour in COLOURS.items()]
    figure.legend(handles=told, loc="outside lower center", ncols=len(told), fontsize=10)
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, run and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for the pictures")
    parser.add_argument(
        "--boxes", type=int, default=600, help="on the floor (default: 600)", metavar="COUNT"
    )
    given = parser.parse_args(arguments)
    if given.boxes < 1:
        parser.error("--boxes must be above 0")
    given.out.mkdir(parents=True, exist_ok=True)
    floor = scene_of(
        lambda folder: write_cluttered_floor(folder, given.boxes),
        _FLOOR_S + 0.1,
        lambda _: round(_FLOOR_S * 1e9),
        _FLOOR_VIEW,
    )
    write_picture(given.out / "fidelity_floor.png", [f"{given.boxes} boxes"], [floor])
    trucks = [
        scene_of(partial(write_truck_scenario, load=load), _TRUCK_S, picking, _TRUCK_VIEW)
        for load in sorted(LOADS)
    ]
    titles = [f"{load}: {LOADS[load].packets} packets" for load in sorted(LOADS)]
    write_picture(given.out / "fidelity_scenarios.png", titles, trucks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
