"""Who is next to whom, and by how much, while clusters merge."""
