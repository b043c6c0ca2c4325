"""The expressions of arcs: a subset of the expressions of triggers, with numbers and Booleans, compiled once."""
