"""Handling observer: reports the manipulation of objects by hands as events for a planner."""

from model_nodes.handling_observer.model import HandlingObserver

__all__ = ["HandlingObserver"]
