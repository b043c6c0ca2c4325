"""How long the parts of the start of a model's node may take [s]."""

from __future__ import annotations

APPEAR_S = 60.0
"""A node may take this long until it is seen: until its process has loaded what it needs, on a machine that is busy."""
REGISTER_S = 60.0
"""A node that is seen may take this long to register."""
DISCOVER_S = 60.0
"""The topics of a node that has registered may take this long to be discovered."""
UNSEEN_S = 20.0
"""One on this machine of which none is discovered within this time is started anew, once.

On a busy machine two participants of Fast DDS at times never tell each other all that they offer.
"""
MATCH_S = 30.0
"""A node whose topics are discovered may take this long until its responses arrive."""
START_S = APPEAR_S + REGISTER_S + UNSEEN_S + DISCOVER_S + MATCH_S
"""All of it."""
