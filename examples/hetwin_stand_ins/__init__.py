"""Stand-ins for real robots and their surroundings: programs, sensors, worlds of simple shapes, and physics."""
