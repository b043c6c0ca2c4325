"""What becomes of a run in which a model fails: one place decides, one carries out."""
