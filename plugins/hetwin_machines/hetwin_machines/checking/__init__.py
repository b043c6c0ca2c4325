"""Find problems of a network before it is run."""
