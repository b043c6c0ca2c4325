"""Triggers: event + precondition -> effects (Bauer et al. 2022, section 3.3.1)."""
