"""The scene at the end, to turn around."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from hetwin_core.projection.episode import Episode
from hetwin_suite.view.report.figure import Figure, numbers
from hetwin_suite.view.report.stage import Stage

_MOST_FACES = 40_000


def space(episode: Episode) -> Figure | None:
    """The final scene in three dimensions; None if there is nothing to see, or too much for a page."""
    bodies = Stage(episode).bodies(len(episode.times) - 1)
    if not bodies or sum(len(body.corners) for body in bodies) > _MOST_FACES:
        return None
    traces = []
    for colour in dict.fromkeys(body.colour for body in bodies):
        corners = np.concatenate([body.corners for body in bodies if body.colour == colour])
        points, index = np.unique(
            corners.reshape(-1, 3).astype(np.float32), axis=0, return_inverse=True
        )
        faces = index.reshape(-1, 3)
        traces.append(
            {
                "type": "mesh3d",
                **{axis: numbers(points[:, i]) for i, axis in enumerate("xyz")},
                **{axis: _indices(faces[:, i]) for i, axis in enumerate("ijk")},
                "color": "#" + "".join(f"{round(255 * part):02x}" for part in colour),
                "flatshading": True,
                "lighting": {"ambient": 0.55, "diffuse": 0.6, "specular": 0.05},
                "hoverinfo": "skip",
            }
        )
    axis = {"title": {"text": ""}, "showspikes": False, "showbackground": False}
    scene = {f"{name}axis": axis for name in "xyz"} | {"aspectmode": "data"}
    layout = {"height": 460, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}, "scene": scene}
    return {"data": traces, "layout": layout}


def _indices(values: Any) -> dict[str, str]:
    data = np.ascontiguousarray(values, "<i4")
    return {"dtype": "i4", "bdata": base64.b64encode(data.tobytes()).decode("ascii")}
