"""Work that is killed: when, and what must be there afterwards."""
