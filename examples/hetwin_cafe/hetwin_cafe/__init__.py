"""Models of a user's own: responsibilities that are no poses (paper 0, section 3)."""
