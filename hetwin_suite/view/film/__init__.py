"""Films: what a page draws of a run, small enough to be part of one HTML file."""
