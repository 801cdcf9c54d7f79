"""Classifiers that learn from few labels, in one registry."""

from hypcse.methods.labelled.registry import CLASSIFIERS, Classifier

__all__ = ["CLASSIFIERS", "Classifier"]
