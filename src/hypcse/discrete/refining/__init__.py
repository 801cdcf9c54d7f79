"""Improves trees by moving subtrees to better places."""
