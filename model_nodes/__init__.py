"""The models, each a plain class that keeps the contract of `hetwin_core.ensemble.model`."""
