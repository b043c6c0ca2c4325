"""Models of the durations of a robot's motions, learned from measured laps."""
