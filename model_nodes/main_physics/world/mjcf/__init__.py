"""Reads MJCF, the format of MuJoCo."""
