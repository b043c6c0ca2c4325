"""Saves the state of objects as numbers, texts and arrays, and restores objects from it."""
