"""The gallery: pages and notebooks made from the scripts in `examples/gallery`. `python -m gallery` makes them."""
