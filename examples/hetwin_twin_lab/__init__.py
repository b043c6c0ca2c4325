"""A twin lab: a real and a virtual robot obey one controller, and the virtual one learns from the real one's moves."""
