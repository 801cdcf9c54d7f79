"""The similarity graph of a table that does not fit one machine: shards, a search in each, the best of all."""
