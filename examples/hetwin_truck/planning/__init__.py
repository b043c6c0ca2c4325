"""Plans strategies of unloading in belief space, and learns which one suits a load."""
