"""A campaign of faults: what is read, asked, killed, named or surrounded wrongly, and what hypcse makes of it.

`python -m benchmarks faults --minutes 20` runs it. A part is a stream of tries; the seed, the name of the part and the
number of the try decide all that happens in it, so that each can be repeated alone.
"""
