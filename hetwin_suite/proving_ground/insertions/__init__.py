"""Insertions: the right hand pushes a probe into a socket that is not quite where it is believed."""
