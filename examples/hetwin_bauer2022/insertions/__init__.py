"""Insertions: the right hand pushes a probe into a socket whose believed pose is slightly wrong."""
