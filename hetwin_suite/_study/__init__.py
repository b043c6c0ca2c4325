"""Many runs of a scenario with what is uncertain drawn anew, and what comes of them."""
