"""The stand-in for the robot with two hands: body, controller, hand postures, witness."""
