"""MuJoCo as the engine of the main model."""
