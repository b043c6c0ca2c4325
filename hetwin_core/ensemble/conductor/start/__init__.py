"""The start of a run: its options, the parameters that models request, and the life cycle that makes them ready."""
