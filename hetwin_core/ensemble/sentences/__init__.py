"""All sentences about the world, a run and its verdict, with what each means and does not mean."""
