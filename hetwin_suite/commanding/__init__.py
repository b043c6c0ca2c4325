"""Commands to a robot: goals, plans, their rehearsal in the twin, and the link that sends what was rehearsed."""
