"""`hypcse fit`: what it is asked for, what it finds, and the folder that it writes."""
