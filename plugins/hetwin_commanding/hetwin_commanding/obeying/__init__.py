"""A simulated robot that obeys commands, in a process of its own, with physics that differ from the twin's."""
