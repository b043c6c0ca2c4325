"""The words for what household objects are good for (Jiang et al., Table II)."""

from __future__ import annotations

FUNCTIONAL_WORDS = (
    *("pickable", "moveable", "heatable", "coolable", "receptacle"),
    *("toggleable", "openable", "sliceable", "fillable"),
)
"""The nine functional attributes; each is a tag of the entities that have it, too."""
