"""One reader per kind of file; `hypcse._formats` maps suffixes to readers."""
