"""Questions as expressions in CEL, the language of triggers."""
