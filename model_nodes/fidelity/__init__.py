"""Fidelity signalers: models that determine in how much detail the scene is simulated (paper 1, section 3)."""
