"""How long motions of a robot take, learned from its laps."""
