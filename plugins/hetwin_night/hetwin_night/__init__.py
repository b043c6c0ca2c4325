"""Nights of recordings: every recording below a folder is replayed by the twin and judged."""
