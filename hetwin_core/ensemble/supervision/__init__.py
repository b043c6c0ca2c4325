"""Watching what may hang or die: calls of models, and the processes that make them."""
