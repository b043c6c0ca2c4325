"""The course of a run: its tasks, what held and what was believed, and the flaws in it."""
