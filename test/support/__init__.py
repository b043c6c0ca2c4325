"""What several tests use: small ensembles and worlds, toy models, robots, and ways to run hetwin."""
