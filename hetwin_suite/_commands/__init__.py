"""What commands are made of: their options, and the one place where a result is presented."""
