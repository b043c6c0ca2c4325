"""Episodes of data sets for robot learning, and tables of joint positions, read as recordings."""
