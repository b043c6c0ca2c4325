"""Reports of a run: to listeners during the run, as a digest, and as rows of its summary."""
