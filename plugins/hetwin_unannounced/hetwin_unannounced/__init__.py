"""Unannounced objects: added to the scene during a run when they are detected, removed when they are refuted."""
