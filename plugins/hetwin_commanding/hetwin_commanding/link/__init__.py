"""The link to a robot: what goes out, what comes back, and what ends it."""
