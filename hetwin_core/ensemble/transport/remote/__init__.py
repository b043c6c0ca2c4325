"""Models in other processes: one port, one server, and their messages."""
