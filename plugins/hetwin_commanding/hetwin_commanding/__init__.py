"""Commands to robots: sends rehearsed motions, simulates an obeying robot, and moves a twin by commands."""
