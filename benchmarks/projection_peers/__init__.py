"""The systems whose answers `projection.py` compares."""
