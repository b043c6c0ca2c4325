"""`hetwin calibrate`: better models from what robots did."""
