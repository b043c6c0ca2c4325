"""The start of a run: its options, the parameters that models request, and their life cycle up to the first step."""
