"""Layers of a page beside a run's bodies: contacts, estimates, beliefs."""
