"""Chains of links: where a link is for given joint positions, and which positions bring it to a pose."""
