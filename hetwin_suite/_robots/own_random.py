"""Random generators that share no numbers with those of the recording."""

from __future__ import annotations

from zlib import crc32

import numpy as np


def own_random(purpose: str, *key: int) -> np.random.Generator:
    """Return the generator of one purpose, the same for the same key.

    Args:
        purpose: of the draw; its CRC-32 comes first in the seed.
        key: numbers >= 0, e.g. seed and index of an episode.
    """
    return np.random.default_rng([crc32(purpose.encode()), *key])
