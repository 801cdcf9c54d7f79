"""Flat clusters: data with one known partition, methods that give one, and how well they agree."""
