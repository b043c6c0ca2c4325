"""Learns the parameters by which a fidelity manager lowers the fidelity of objects out of the robot's reach."""
