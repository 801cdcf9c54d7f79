"""Saving and loading: values as JSON and safetensors in a folder, read again without running any code of it.

`archive` has the two files and their digests, `values` the codecs of single values, `options` settings held to their
annotations, `models` whole estimators. What an estimator or a training stores is declared there, with these codecs.
"""
