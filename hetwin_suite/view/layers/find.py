"""Finds the layers of a run beside its bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.film.film import Scene
from hetwin_suite.view.film.layer import Layer
from hetwin_suite.view.layers import believed, contacts, covariances
from hetwin_suite.view.layers.states import snapshots

_MOST_NUMBERS = 400_000
"""Of a layer; with more, every second time is left out, and so on."""
_NOWHERE = -1.0
_ENTITIES = ("entity", "other")


def layers_of(tables: Tables, scene: Scene) -> tuple[Layer, ...]:
    """Return the layers of a run that show anything: contacts, covariances, and believed places.

    Args:
        tables: of the run.
        scene: of its film, in whose bodies they count.
    """
    objects = covariances.estimated(tables.layout)
    touching, sure = [], []
    for time, snapshot in snapshots(tables):
        touching.append((time, contacts.contacts(snapshot)))
        if objects:
            sure.append((time, covariances.covariances(snapshot, objects)))
    found = [
        ("contacts", contacts.COLUMNS, touching),
        ("covariances", covariances.COLUMNS, sure),
        ("believed", believed.COLUMNS, list(believed.believed(tables))),
    ]
    numbers = _numbers(tables.layout, scene)
    layers = (_layer(name, columns, rows, numbers) for name, columns, rows in found)
    return tuple(layer for layer in layers if not layer.empty)


def _numbers(layout: Layout, scene: Scene) -> Floats:
    """Return (entities + 1,) the number of each entity's body; the last one is that of none."""
    bodies = {body.name: float(number) for number, body in enumerate(scene.bodies)}
    return np.array([*(bodies.get(entity.name, _NOWHERE) for entity in layout.entities), _NOWHERE])


def _layer(
    name: str, columns: tuple[str, ...], moments: list[tuple[float, Floats]], numbers: Floats
) -> Layer:
    """Return a layer whose entities are counted as bodies; rows about entities without a body are left out."""
    own = [columns.index(column) for column in _ENTITIES if column in columns]
    counted = []
    for time, rows in _few(moments):
        known = rows.copy()
        known[:, own] = numbers[_inside(known[:, own], len(numbers))]
        counted.append((time, known[known[:, own[0]] != _NOWHERE]))
    return Layer.of(name, columns, counted)


def _inside(numbers: Floats, count: int) -> NDArray[np.intp]:
    """Return indices, that of none for those that are no entity's."""
    there = (numbers >= 0.0) & (numbers < count)
    return np.where(there, numbers, count - 1).astype(np.intp)


def _few(moments: list[tuple[float, Floats]]) -> list[tuple[float, Floats]]:
    """Return moments whose rows are not too many numbers together."""
    size = sum(rows.size for _, rows in moments)
    return moments[:: max(1, -(-size // _MOST_NUMBERS))]
