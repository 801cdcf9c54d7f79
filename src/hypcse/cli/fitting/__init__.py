"""`hypcse fit`: its options, its findings, and the folder that it writes."""
