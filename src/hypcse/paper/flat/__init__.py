"""Flat clusters: data with one known partition, and methods that give one."""
