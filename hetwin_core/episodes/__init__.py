"""Projection: what stays of a run, and how to look at it: log, summary, episode, report."""
