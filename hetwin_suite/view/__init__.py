"""Views of a run: pages during and after the run, pictures, and data for other viewers."""
