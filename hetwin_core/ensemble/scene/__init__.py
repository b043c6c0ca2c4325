"""The scene: entities, their attributes as one flat array, the owner of each, and snapshots for models."""
