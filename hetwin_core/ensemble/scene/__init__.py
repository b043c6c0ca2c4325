"""The scene: entities, their attributes as one flat array, who is responsible for each, and what models see of it."""
