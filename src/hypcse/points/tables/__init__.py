"""What the cells and the columns of a table mean."""
