"""Joins the components of a graph by the features or distances of their points."""
