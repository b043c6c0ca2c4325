"""Unloading of a truck (Tallavajhula et al., 2019, sections 4.1 and 4.2): packets, trailer, robot, and its actions."""
