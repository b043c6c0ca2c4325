"""SQL over the tables of episodes, and their export to Parquet, with DuckDB (an extra)."""
