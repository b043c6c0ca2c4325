"""A finished run as a recording of Rerun."""
