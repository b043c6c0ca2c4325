"""Handling observer: what hands do with objects, in the words of a planner."""

from model_nodes.handling_observer.model import HandlingObserver

__all__ = ["HandlingObserver"]
