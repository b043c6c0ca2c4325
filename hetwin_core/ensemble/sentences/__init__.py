"""All sentences about the world, a run and its verdict, with the meaning of each and common misreadings."""
