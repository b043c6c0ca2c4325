"""Models of the functional states of household objects (Jiang et al., section III.E, Table II)."""
