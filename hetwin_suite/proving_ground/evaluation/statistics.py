"""Proportions with confidence intervals."""

from __future__ import annotations

import math

Z_95 = 1.959963984540054


def wilson_interval(right: int, of: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a proportion (E. B. Wilson, 1927); (0, 1) without samples."""
    if of == 0:
        return 0.0, 1.0
    share, z2 = right / of, Z_95 * Z_95
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = Z_95 / (1 + z2 / of) * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)
