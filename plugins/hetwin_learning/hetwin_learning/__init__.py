"""Learns thresholds of triggers and models, success rates of actions, and fidelity, from episodes."""
