"""Components that no edge joins, joined by what is known of their points."""
