"""Joint trajectories through given points, and their execution by a controller."""
