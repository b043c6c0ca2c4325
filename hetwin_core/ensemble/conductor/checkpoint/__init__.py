"""A run saved between two steps, and gone on with in another process."""
