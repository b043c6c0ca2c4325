"""The experiments of Bauer et al. (2022): recorded drops and insertions, approaches, and their robustness."""
