"""Classifiers that learn from few labels, as in the paper's study."""
