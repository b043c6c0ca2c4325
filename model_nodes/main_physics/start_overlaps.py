"""What is inside something else before the first step."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.block import Block
from model_nodes.main_physics.engines.engine import Engine

LEAST = 1e-4
"""Less deep is nothing [m]."""


def start_overlaps(
    engine: Engine, block: Block, entities: Sequence[Entity], reach: float
) -> tuple[Finding, ...]:
    """Return a finding ``starts_inside`` for each pair, with ``link`` or ``object``, ``partner`` and ``depth`` [m].

    Args:
        engine: with everything where the run begins.
        block: knows the entities of the engine's frames.
        entities: in the order of the scene.
        reach: of the clearances that will be asked for during the run [m].
    """
    names = [entity.name for entity in entities]
    rows = (
        ("object", block.of_entities(engine.proximity().copy())),
        ("link", block.of_entities(engine.clearances(reach).copy())),
    )
    return tuple(finding for kind, table in rows for finding in _findings(kind, table, names))


def _findings(kind: str, rows: Floats, names: Sequence[str]) -> list[Finding]:
    deepest: dict[frozenset[str], tuple[float, str, str]] = {}
    for one, other, distance, *_ in rows[rows[:, 2] < -LEAST].tolist():
        pair = names[int(one)], names[int(other)]
        before = deepest.get(frozenset(pair))
        if before is None or before[0] < -distance:
            deepest[frozenset(pair)] = (-distance, *(pair if before is None else before[1:]))
    return [
        Finding("starts_inside", 0, 0, {kind: thing, "partner": partner, "depth": depth})
        for depth, thing, partner in deepest.values()
    ]
