"""Saving and loading: values as JSON and safetensors in a folder. Loading runs no code from the folder.

`archive` has the two files and their digests, `values` the codecs of single values, `options` settings checked
against their annotations, `models` whole estimators. Estimators and training declare what they store by these codecs.
"""
