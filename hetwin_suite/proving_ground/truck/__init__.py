"""Unloading of a truck (paper 1, sections 4.1 and 4.2): packets, trailer, robot, and its actions."""
