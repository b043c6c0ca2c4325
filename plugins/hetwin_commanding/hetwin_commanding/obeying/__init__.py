"""A stand-in for a real robot that obeys commands: a simulation in a process of its own, unlike the twin's."""
