"""Saving and loading: values as JSON and safetensors in a folder. Loading runs no code from the folder."""
