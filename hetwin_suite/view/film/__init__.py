"""Films: the drawing of a run in a page, small enough to be part of one HTML file."""
