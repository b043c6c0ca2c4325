"""A program of the robot as the main model's input: in a process of its own, in lockstep."""
