"""Classifiers of points of which few carry a label, under one registry."""

from hypcse.methods.labelled.registry import CLASSIFIERS, Classifier

__all__ = ["CLASSIFIERS", "Classifier"]
