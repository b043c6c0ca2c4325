"""Parts of an engine whose state is a few of their attributes, which they name."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np


class Copied:
    """Has a state that is saved and restored as a copy, as often as one likes.

    Attributes:
        saved_fields: names of the attributes that change during a run: arrays and collections, which are copied, parts
            that are `Copied` themselves, and what is replaced but never changed.
    """

    saved_fields: ClassVar[tuple[str, ...]]

    def save(self) -> dict[str, Any]:
        """Return the state for `restore`."""
        found = {name: getattr(self, name) for name in self.saved_fields}
        return {n: v.save() if isinstance(v, Copied) else copied(v) for n, v in found.items()}

    def restore(self, state: Any) -> None:
        """Restore a saved state."""
        for name in self.saved_fields:
            part = getattr(self, name)
            if isinstance(part, Copied):
                part.restore(state[name])
            else:
                setattr(self, name, copied(state[name]))


def copied(value: Any) -> Any:
    """Return a value whose arrays and collections are its own."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return set(value) if isinstance(value, set) else value
