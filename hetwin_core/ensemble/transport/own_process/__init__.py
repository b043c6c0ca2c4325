"""A model in a process of its own on this machine, which shares memory with the conductor's."""
