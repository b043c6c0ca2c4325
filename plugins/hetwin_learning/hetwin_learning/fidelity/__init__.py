"""Learns when what a robot cannot reach may be in low fidelity, from what it saves and what it changes."""
