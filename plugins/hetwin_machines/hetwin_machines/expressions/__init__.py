"""The expressions of arcs: those of triggers, of numbers and truths alone, translated once."""
