"""A home, and a robot that fetches a cup in it."""
