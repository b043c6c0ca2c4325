"""Plans strategies of unloading in the space of beliefs, and learns which one suits a load."""
