"""Many runs of a scenario with everything uncertain drawn anew, and their results."""
