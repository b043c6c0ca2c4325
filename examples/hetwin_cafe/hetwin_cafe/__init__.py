"""Example models of a user's package, with attributes other than poses."""
