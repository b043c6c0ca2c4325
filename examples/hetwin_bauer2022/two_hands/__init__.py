"""The stand-in for the two-hand robot: simulation, controller, hand postures, ground truth."""
