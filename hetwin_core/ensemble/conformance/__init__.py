"""Whether a model keeps the contract of `ensemble.model`: what ``hetwin model check`` runs."""
