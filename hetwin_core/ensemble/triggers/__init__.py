"""Triggers: event + precondition -> effects (paper 0, section 3.3.1)."""
