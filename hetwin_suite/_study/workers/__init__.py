"""Work on many tasks at a time, in processes of this machine or on several machines."""
