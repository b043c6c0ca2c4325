"""What people see of a run: pages while it goes on and afterwards, pictures, and what other viewers are given."""
