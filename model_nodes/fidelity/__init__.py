"""Signalers of fidelity: models that say how faithfully parts of the scene must be simulated (paper 1, section 3)."""
