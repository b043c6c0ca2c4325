"""Models in other processes: the port, the server, and their messages."""
