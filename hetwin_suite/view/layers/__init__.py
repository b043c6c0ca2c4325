"""What a page can show of a run beside its bodies: contacts, estimates, beliefs."""
