"""The models, each a plain class that implements the contract of `hetwin_core.ensemble.model`."""
