"""Views of a run: pages while it goes on and afterwards, pictures, and data for other viewers."""
