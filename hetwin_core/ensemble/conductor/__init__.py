"""The conductor: runs the models and moves responsibilities (Bauer et al. 2022, section 3.4)."""
