"""Models in other processes: one port, one server, and what is sent between them."""
