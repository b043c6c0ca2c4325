"""The link to a robot: sends motions, receives states, and stops on deviations."""
