"""Still pictures of a film, for files: drawn by MuJoCo's renderer, which needs a graphics library."""
