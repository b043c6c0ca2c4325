"""Whether a robot and its twin do the same."""
