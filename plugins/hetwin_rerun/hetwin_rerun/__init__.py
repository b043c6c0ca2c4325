"""Exports a finished run as a recording of Rerun."""
