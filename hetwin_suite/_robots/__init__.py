"""Robots that are not real: what records them, and what plays or takes the part of one."""
