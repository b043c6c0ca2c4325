"""The models, each a plain class that keeps the contract of `ensemble.model`."""
