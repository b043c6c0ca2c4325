"""Probabilities of claims about a grasp from all sensors of a robot, and the calibration of a hand for them."""
