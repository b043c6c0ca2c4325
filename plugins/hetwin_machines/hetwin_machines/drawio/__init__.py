"""Read networks of state machines drawn in draw.io, together with their layout, and write them back."""
