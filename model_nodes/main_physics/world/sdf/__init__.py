"""Worlds and models from SDFormat files."""
