"""Reports of a run: to listeners while it goes on, as a digest, and as rows of its summary."""
