"""Parts of commands: their options, and the presentation of results."""
