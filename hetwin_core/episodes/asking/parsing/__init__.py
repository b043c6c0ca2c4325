"""Terms and times that are written in CEL, the language of triggers."""
