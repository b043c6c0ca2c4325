"""All sentences about the world, a run and its verdict, each with its meaning and a common misreading."""
