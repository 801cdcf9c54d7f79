"""Readers, each for one kind of file; `hypcse._formats` says which for which suffix."""
