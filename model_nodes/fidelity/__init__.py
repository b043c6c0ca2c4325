"""Fidelity signalers: models that determine in how much detail the scene is simulated.

After Tallavajhula et al. (2019), section 3.
"""
