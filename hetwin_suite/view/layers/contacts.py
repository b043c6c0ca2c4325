"""Where things touch, and with which force."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats

COLUMNS = ("entity", "other", "x", "y", "z", "fx", "fy", "fz")
_LEAST_N = 1e-3
_ENTITIES, _DISTANCE, _POINT, _FORCE = slice(0, 2), 2, slice(3, 6), slice(9, 12)


def contacts(snapshot: Snapshot) -> Floats:
    """Return (n, 8) pairs that touch: the object, the other, where [m], and the force on the object [N].

    Two objects that touch are one row, though the log has one for each of them; a contact without force is none.
    """
    rows = snapshot.proximity
    force = np.linalg.norm(rows[:, _FORCE], axis=1)
    touching = rows[np.isfinite(rows).all(axis=1) & (force > _LEAST_N)]
    seen: set[tuple[int, int]] = set()
    kept = []
    for i, (one, other) in enumerate(touching[:, _ENTITIES].astype(int).tolist()):
        if (other, one) not in seen:
            seen.add((one, other))
            kept.append(i)
    found: Floats = np.hstack(
        [touching[kept, _ENTITIES], touching[kept, _POINT], touching[kept, _FORCE]]
    )
    return found
