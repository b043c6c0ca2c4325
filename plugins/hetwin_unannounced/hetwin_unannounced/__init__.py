"""Objects that nobody announced: found while a run goes on, and gone when they are contradicted."""
