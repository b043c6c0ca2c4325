"""From logs to better models: reads what a robot did, and offers what was learned as a new scenario."""
