"""A checkpoint, from its files to a model in PyTorch."""
