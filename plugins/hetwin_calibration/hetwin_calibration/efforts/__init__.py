"""What measured efforts of an arm have beyond its rigid bodies: friction, offsets, loads, signs and lags."""
