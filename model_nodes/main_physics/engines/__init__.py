"""Physics engines behind one small interface."""
