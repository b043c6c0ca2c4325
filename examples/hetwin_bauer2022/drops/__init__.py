"""Drops: the right hand takes a tennis ball from its stand and drops or throws it into a container."""
