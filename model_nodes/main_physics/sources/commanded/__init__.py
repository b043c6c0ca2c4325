"""A twin that obeys: motions that come as commands or from a file instead of from a robot."""
