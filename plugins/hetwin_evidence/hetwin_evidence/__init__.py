"""How sure the twin is of a grip, by all that a robot feels; and what one hand needs to be known by that."""
