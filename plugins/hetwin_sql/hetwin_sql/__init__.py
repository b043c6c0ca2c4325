"""SQL over the tables of episodes, and Parquet files of them, both with DuckDB, which is an extra."""
