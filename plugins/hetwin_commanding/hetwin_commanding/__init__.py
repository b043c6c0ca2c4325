"""Commands to robots: a rehearsed motion goes to one, a simulation obeys them, a twin moves as it does."""
