"""Tasks, and the runner that fills a file of records with them."""
